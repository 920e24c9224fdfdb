import LedgerJSON

/// The reader never crashes; what it accepts is written in one way, and read again is the same.
/// What one rule accepts, a wider one does too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  let wire = checked(input, .wire)
  for rules in [JSONRules.log, .edit] {
    let narrow = checked(input, rules)
    require(narrow == nil || narrow == wire, "\(rules) accepts what the wire's rules do not")
    input.withUnsafeBufferPointer { buffer in
      let span = UnsafeRawBufferPointer(buffer).bytes
      checkSkip(span, rules)
    }
  }
  return 0
}

private func checked(_ input: [UInt8], _ rules: JSONRules) -> JSONValue? {
  guard let value = try? JSONValue(parsing: input, rules: rules) else { return nil }
  let text = value.serialized
  guard let again = try? JSONValue(parsing: text, rules: rules) else {
    finding("what was written is refused: \(text)")
  }
  require(again == value, "read again it is another value: \(text)")
  require(again.serialized.utf8.elementsEqual(text.utf8), "written again it differs: \(text)")
  return value
}

/// The scanner that only skips an object agrees with the reader that keeps it.
private func checkSkip(_ span: RawSpan, _ rules: JSONRules) {
  guard span.byteCount > 0, span.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0x7B else {
    return
  }
  var skipped = 0
  var skipFault: JSONError?
  do throws(JSONError) {
    try JSONScanner.skipObject(in: span, at: &skipped, rules: rules)
  } catch {
    skipFault = error
  }
  var read = 0
  var readFault: JSONError?
  do throws(JSONError) {
    _ = try JSONReader.object(in: span, at: &read, rules: rules)
  } catch {
    readFault = error
  }
  require(
    skipFault == readFault,
    "skipping: \(String(describing: skipFault)), reading: "
      + "\(String(describing: readFault))")
  require(skipFault != nil || skipped == read, "skipping ends at \(skipped), reading at \(read)")
}
