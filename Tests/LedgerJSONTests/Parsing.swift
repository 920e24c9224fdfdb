import LedgerJSON

/// A text and its expected error. Bytes, because many cases are not valid UTF-8.
struct RefusedText: Sendable, CustomStringConvertible {
  var bytes: [UInt8]
  var reason: JSONError.Reason
  var offsetBytes: Int

  init(_ text: String, _ reason: JSONError.Reason, at offsetBytes: Int) {
    self.init(bytes: Array(text.utf8), reason, at: offsetBytes)
  }

  init(bytes: [UInt8], _ reason: JSONError.Reason, at offsetBytes: Int) {
    self.bytes = bytes
    self.reason = reason
    self.offsetBytes = offsetBytes
  }

  var error: JSONError { JSONError(reason, at: offsetBytes) }
  var description: String { String(decoding: bytes, as: UTF8.self).debugDescription }
}

/// The error of reading, or `nil` if the bytes were accepted.
func refusal(of bytes: [UInt8], _ rules: JSONRules) -> JSONError? {
  do throws(JSONError) {
    _ = try JSONValue(parsing: bytes, rules: rules)
    return nil
  } catch {
    return error
  }
}

func refusal(of text: String, _ rules: JSONRules) -> JSONError? {
  refusal(of: Array(text.utf8), rules)
}

/// The number as read, or `nil` if it was refused.
func number(_ text: String, _ rules: JSONRules) -> Double? {
  try? JSONValue(parsing: text, rules: rules).number
}

let bothRules: [JSONRules] = [.bounded, .wire]

/// Whether the bytes are equal: `==` treats canonically equivalent strings as equal.
func sameBytes(_ left: String, _ right: String) -> Bool {
  left.utf8.elementsEqual(right.utf8)
}

extension JSONRules {
  /// The log's bounds, with white space allowed, so that all texts of these tests can be read.
  static let bounded = JSONRules(maximumDepth: 8, boundsNumbers: true)
}
