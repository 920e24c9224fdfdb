import LedgerJSON
import LedgerModel

@testable import LedgerLog
@testable import LedgerProjections

/// The fast ways through a window of lines say what the general ones say: the same damage at the
/// same place, the same columns, the same position. What has damage for those who only check has
/// it for those who read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  let lines = WrittenLog(script: input[...]).wholeLines
  guard !lines.isEmpty else { return 0 }
  for checks in [LineChecks.form, .chain] {
    let fast = Reading(lines, checks, isFast: true)
    let general = Reading(lines, checks, isFast: false)
    compare(fast, general)
  }
  let fast = Checking(lines, isFast: true)
  let general = Checking(lines, isFast: false)
  require(fast.damage == general.damage, "verifying: \(show(fast.damage)), \(show(general.damage))")
  require(fast.verifier.scan.position == general.verifier.scan.position, "verifying: position")
  require(
    fast.verifier.scan.offsetBytes == general.verifier.scan.offsetBytes, "verifying: offset")
  require(fast.verifier.erasures == general.verifier.erasures, "erased lines")
  let plain = plainDamage(lines)
  if let line = plain?.line {
    for other in [general.damage, Reading(lines, .chain, isFast: true).damage] {
      require(other?.line.map { $0 <= line } ?? false, "only the scan sees \(show(plain))")
    }
  }
  return 0
}

private func show(_ damage: Damage?) -> String { damage.map { "\($0)" } ?? "no damage" }

/// One window read by one of the ways.
private struct Reading {
  var reader: BatchReader
  var damage: Damage?

  init(_ lines: [UInt8], _ checks: LineChecks, isFast: Bool) {
    reader = BatchReader(from: .start, offsetBytes: 0, checks: checks)
    reader.isFast = isFast
    do throws(LogError) {
      try withPadding(lines) { padded throws(LogError) in
        try reader.read(padded, lineBytes: lines.count, at: 0)
      }
    } catch {
      if case .damaged(let found) = error { damage = found } else { finding("\(error)") }
    }
  }
}

private struct Checking {
  var verifier = Verifier()
  var damage: Damage?

  init(_ lines: [UInt8], isFast: Bool) {
    verifier.isFast = isFast
    do throws(LogError) {
      try withPadding(lines) { padded throws(LogError) in
        try verifier.read(padded, lineBytes: lines.count, at: 0)
      }
    } catch {
      if case .damaged(let found) = error { damage = found } else { finding("\(error)") }
    }
  }
}

/// Bytes after the lines are ignored padding, which the fast reader may load.
private func withPadding(
  _ lines: [UInt8], _ body: (RawSpan) throws(LogError) -> Void
) throws(LogError) {
  let padded =
    lines + Array(lines.prefix(40))
    + [UInt8](repeating: 0x22, count: FastFront.reachBytes - min(40, lines.count))
  try padded.withUnsafeBufferPointer { buffer throws(LogError) in
    try body(UnsafeRawBufferPointer(buffer).bytes)
  }
}

private func compare(_ fast: Reading, _ general: Reading) {
  let (left, right) = (fast.reader.batch, general.reader.batch)
  require(fast.damage == general.damage, "\(show(fast.damage)) or \(show(general.damage))")
  require(fast.reader.scan.position == general.reader.scan.position, "position")
  require(fast.reader.scan.offsetBytes == general.reader.scan.offsetBytes, "offset")
  require(left.tally == right.tally, "tally: \(left.tally) or \(right.tally)")
  require(left.lastSeq == right.lastSeq, "last seq")
  require(left.rows.map(text) == right.rows.map(text), "rows")
  require(left.changes.map { "\($0)" } == right.changes.map { "\($0)" }, "changes")
  require(left.marks.map { "\($0)" } == right.marks.map { "\($0)" }, "marks")
  require(left.profile.seqs == right.profile.seqs, "edits of the profile")
  for field in ProfileField.allCases {
    let values = (left.profile.versions(of: field), right.profile.versions(of: field))
    require(values.0.elementsEqual(values.1), "\(field)")
  }
  require(left.others == right.others, "others")
}

private func text(_ row: EntryRow) -> String { "\(row) \(row.quantity.bitPattern)" }

private func plainDamage(_ lines: [UInt8]) -> Damage? {
  var scan = EventScan(checks: .chain)
  return lines.withUnsafeBufferPointer { buffer in
    do throws(LogError) {
      try scan.walk(UnsafeRawBufferPointer(buffer).bytes, at: 0) {
        (window, envelope) throws(LineFault) in
        try EnvelopeScanner.scanData(envelope, in: window)
      }
      return nil
    } catch {
      if case .damaged(let found) = error { return found }
      finding("\(error)")
    }
  }
}

extension ProfileEdits {
  /// The values of a field, which compare equal however they are written.
  fileprivate func versions(of field: ProfileField) -> VersionList {
    var (edits, list) = (self, VersionList())
    var values = edits.takeValues(of: field)
    list.take(&values)
    return list
  }
}
