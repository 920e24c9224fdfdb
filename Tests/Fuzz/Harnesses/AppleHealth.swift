import LedgerModel

@testable import LedgerImport

/// Any bytes as an export of the Health app, or as records inside of one, as the first byte says: no
/// crash, every entry within the rules and under its own source id, the same in pieces of any size
/// and with samples set aside, and a second import finds nothing new.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  guard let first = input.first else { return 0 }
  var file = Array(input[1...])
  if first & 1 == 1 {
    file = Array("<HealthData>".utf8) + file + Array("</HealthData>".utf8)
  }
  let pieceBytes = Int(first >> 1) + 1
  guard let result = read(file, [:], 1 << 18, 1000) else {
    require(read(file, [:], pieceBytes, 2) == nil, "refused whole and read in pieces")
    return 0
  }
  check(result)
  guard let pieces = read(file, [:], pieceBytes, 2) else { finding("read whole, not in pieces") }
  require(lines(pieces) == lines(result), "other entries in pieces of \(pieceBytes)")
  require(pieces.skipped.lines == result.skipped.lines, "other records skipped in pieces")
  require(pieces.problems == result.problems, "other problems in pieces")
  checkAgain(file, result)
  return 0
}

private func read(
  _ file: [UInt8], _ known: [String: KnownEntry], _ chunkBytes: Int, _ samples: Int
) -> ImportResult? {
  var made: UInt64 = 0
  let context = ImportContext(
    makeEntry: {
      made += 1
      return EntryID(LedgerUUID(high: 0, low: made))
    },
    zone: { _, _ in .utc }, knownEntry: { _, id in known[id] })
  guard let today = CalendarDate("2026-11-21"),
    let stream = try? ByteStream(opening: .bytes(file, name: "f.xml"), chunkBytes: chunkBytes)
  else { finding("a stream of bytes cannot be opened") }
  return try? AppleHealthImport.read(
    stream, name: "f.xml", today: today, context: context, samplesInMemory: samples)
}

private func lines(_ result: ImportResult) -> [String] {
  result.edits.map { "\($0.sourceID ?? "") \($0.quantity) \($0.date)" }
}

private func check(_ result: ImportResult) {
  var seen: Set<String> = []
  for edit in result.edits {
    require(seen.insert(edit.sourceID ?? "").inserted, "two entries of \(edit.sourceID ?? "")")
    let payload = try? decide(.logProgress(edit), given: NoFacts(), today: edit.date)
    require(payload != nil, "the rules refuse \(edit)")
  }
  require(result.edits.count <= result.rows, "more entries than records")
  require(result.growths.isEmpty, "unknown sums have grown")
}

private func checkAgain(_ file: [UInt8], _ result: ImportResult) {
  var known: [String: KnownEntry] = [:]
  for edit in result.edits {
    known[edit.sourceID ?? ""] = KnownEntry(entry: edit.entry, quantity: edit.quantity)
  }
  guard let again = read(file, known, 1 << 18, 1000) else { finding("read again it is refused") }
  require(again.edits.isEmpty, "read again there are \(again.edits.count) new entries")
  require(again.growths.isEmpty, "read again \(again.growths.count) sums have grown")
  require(again.known == result.edits.count, "\(again.known) known of \(result.edits.count)")
  require(again.problems == result.problems, "read again there are other problems")
}
