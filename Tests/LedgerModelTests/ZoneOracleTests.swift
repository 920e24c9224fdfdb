import Foundation
import LedgerModel
import Testing

/// Foundation, which reads the same zone database, is the oracle for both directions around every
/// clock change of unusual zones.
@Suite struct ZoneOracleTests {
  @Test("Offsets in Berlin agree with Foundation")
  func berlin() async {
    await #expect(processExitsWith: .success) { compare("Europe/Berlin") }
  }
  @Test("Offsets on Lord Howe Island agree with Foundation")
  func lordHowe() async {
    await #expect(processExitsWith: .success) { compare("Australia/Lord_Howe") }
  }
  @Test("Offsets in Apia agree with Foundation")
  func apia() async {
    await #expect(processExitsWith: .success) { compare("Pacific/Apia") }
  }
  @Test("Offsets in St. John's agree with Foundation")
  func stJohns() async {
    await #expect(processExitsWith: .success) { compare("America/St_Johns") }
  }
  @Test("Offsets in Casablanca agree with Foundation")
  func casablanca() async {
    await #expect(processExitsWith: .success) { compare("Africa/Casablanca") }
  }
  @Test("Offsets at Troll agree with Foundation")
  func troll() async {
    await #expect(processExitsWith: .success) { compare("Antarctica/Troll") }
  }
  @Test("Offsets on Kwajalein agree with Foundation")
  func kwajalein() async {
    await #expect(processExitsWith: .success) { compare("Pacific/Kwajalein") }
  }
}

private func compare(_ name: String) {
  #expect(LocalZone.use(named: name))
  guard let zone = TimeZone(identifier: name) else {
    Issue.record("Foundation does not know \(name)")
    return
  }
  func theirs(_ seconds: Int) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }
  var changes = 0
  var last = theirs(-631_152_000)
  // Checking every quarter of an hour from 1950 to 2037 would be slow: go by hours, then refine.
  for hour in stride(from: -631_152_000, to: 2_145_916_800, by: 3600) where theirs(hour) != last {
    let before = last
    last = theirs(hour)
    changes += 1
    for quarter in stride(from: -30 * 3600, through: 30 * 3600, by: 900) {
      guard agrees(at: hour + quarter, near: before, last, theirs) else { return }
    }
  }
  #expect(changes > 0)
}

/// Compares the offset at an instant and the offset of the local time with the same number.
private func agrees(
  at seconds: Int, near before: Int, _ after: Int, _ theirs: (Int) -> Int
) -> Bool {
  guard before % 60 == 0, after % 60 == 0 else { return true }
  let instant = Timestamp(millisecondsSince1970: Int64(seconds) * 1000)
  guard LocalZone.current.offset(at: instant).seconds == theirs(seconds) else {
    Issue.record("at \(instant)")
    return false
  }
  guard let (date, time, _) = instant.utc else { return false }
  let possible = [before, after].filter { theirs(seconds - $0) == $0 }
  // The earliest of the instants that show this time, else the offset before the change.
  let expected = possible.max() ?? before
  guard LocalZone.current.offset(of: time, on: date).seconds == expected else {
    Issue.record("\(date) \(time): \(LocalZone.current.offset(of: time, on: date)) not \(expected)")
    return false
  }
  return true
}
