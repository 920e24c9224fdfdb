import Foundation
import LedgerModel
import Testing

/// The names that the C library accepts; it silently treats all others as UTC.
@Suite struct ZoneNameTests {
  @Test(
    "Zone names and POSIX rules are values of TZ",
    arguments: [
      "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "UTC", ":Europe/Berlin",
      "CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30", "EST5EDT", "NZST-12NZDT,M9.5.0,M4.1.0/3",
      "/usr/share/zoneinfo/Europe/Berlin",
    ])
  func knownNames(name: String) {
    #expect(LocalZone.isTZValue(name))
  }

  @Test(
    "Other names are unknown",
    arguments: [
      "", ":", "Europe/Bärlin", "Europe/Nowhere", "europe berlin", "Europe", "Europe/", "Mars",
      "../zoneinfo/Europe/Berlin", "Europe/../Europe/Berlin", "Europe/Berlin\u{0}", "+02:00", "2",
      "AB5", "<+03", "/nowhere/at/all", "ABC", "CET-", "Berlin Time5",
    ])
  func unknownNames(name: String) {
    #expect(!LocalZone.isTZValue(name))
  }

  /// Files in the zone folders that are not zones, and other paths.
  @Test(
    "Files without rules are not zones",
    arguments: ["zone.tab", "tzdata.zi", "leapseconds", "/usr/share/zoneinfo", "/dev/null", "/"])
  func filesWithoutRules(name: String) {
    #expect(!LocalZone.isTZValue(name))
  }

  @Test(
    "An offset as people write it is east of UTC, though TZ would be west",
    arguments: [
      ("UTC+2", "+02:00"), ("gmt-5", "-05:00"), ("GMT+5:30", "+05:30"), ("+2", "+02:00"),
      ("-03:30", "-03:30"), ("UTC+00:00", "+00:00"), ("UTC+0530", "+05:30"), ("GMT-330", "-03:30"),
      ("+1400", "+14:00"), ("-12", "-12:00"), ("utc \u{2212}5", "-05:00"), ("Z", "+00:00"),
    ])
  func writtenOffsets(text: String, offset: String) async throws {
    #expect(try #require(ZoneOffset(written: text)).description == offset)
    await #expect(processExitsWith: .success) { [text, offset] in
      #expect(LocalZone.use(named: text))
      #expect(
        LocalZone.current.offset(at: Timestamp(millisecondsSince1970: 0)).description == offset)
    }
  }

  @Test(
    "Other texts are no offsets",
    arguments: [
      "UTC", "2", "UTC+", "+2:0", "+2:00:00", "+123", "UTC+15", "GMT+25", "UTC-1215", "CET-1", "+",
      "--2", "+-2", "UTC+3:5", "UTC+05300", "ZZ", "UTC+5:60", "UTC+0560",
    ])
  func noOffsets(text: String) {
    #expect(ZoneOffset(written: text) == nil)
  }

  @Test(
    "A person names a zone of the database or an offset, and no POSIX rule",
    arguments: [
      "FOO-5", "XYZ+2", "UTC+15", "GMT+25", "UTC+3:5", "CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30",
      ":Europe/Berlin",
    ])
  func noPOSIXRules(name: String) {
    #expect(LocalZone.rule(named: name) == nil)
  }

  @Test("An unknown name changes nothing")
  func anUnknownNameChangesNothing() async {
    await #expect(processExitsWith: .success) {
      #expect(LocalZone.use(named: "Asia/Kathmandu"))
      #expect(!LocalZone.use(named: "Asia/Katmandoo"))
      let offset = LocalZone.current.offset(at: Timestamp(millisecondsSince1970: 1_784_541_600_000))
      #expect("\(offset)" == "+05:45")
      #expect(LocalZone.environmentIsKnown == (true, "Asia/Kathmandu"))
    }
  }

  #if canImport(Glibc)
    /// The C library ignores the usual folders if `TZDIR` is set.
    @Test("TZDIR replaces the usual folders")
    func anotherFolderOfZonesReplacesTheUsualOnes() async {
      await #expect(processExitsWith: .success) {
        setenv("TZDIR", "/dev", 1)
        #expect(!LocalZone.isZone("Europe/Berlin"))
        setenv("TZDIR", "/usr/share/zoneinfo/Europe", 1)
        #expect(LocalZone.isZone("Berlin"))
        setenv("TZDIR", "", 1)
        #expect(LocalZone.isZone("Europe/Berlin"))
      }
    }
  #endif

  @Test("TZ is checked")
  func theEnvironmentIsChecked() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Asia/Katmandoo", 1)
      #expect(LocalZone.environmentIsKnown == (false, "Asia/Katmandoo"))
      setenv("TZ", "", 1)
      #expect(LocalZone.environmentIsKnown == (true, ""))
      unsetenv("TZ")
      #expect(LocalZone.environmentIsKnown == (true, ""))
    }
  }
}
