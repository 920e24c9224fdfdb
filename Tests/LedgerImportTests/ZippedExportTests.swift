import Testing

@testable import LedgerImport

@Suite struct ZippedExportTests {
  func member(_ line: String) -> ZippedExport.Member? {
    ZippedExport.member(ofLine: Array(line.utf8)[...])
  }

  @Test("A line of a zip's listing gives name and size")
  func listingsAreRead() {
    #expect(
      member("  1234  2026-11-21 16:33   apple_health_export/export.xml")
        == .init(name: "apple_health_export/export.xml", bytes: 1234))
    #expect(member("1  11-21-2026 16:33   a b.xml") == .init(name: "a b.xml", bytes: 1))
    #expect(member("---------                     -------") == nil)
    #expect(member("") == nil)
  }

  @Test(
    "XML files are unpacked together, by patterns that every name's end matches",
    arguments: [
      (
        ["a/export.xml", "a/export_cda.xml", "a/x.gpx"], ["a/export.xml"],
        ["*.xml", "-x", "*_cda.xml"]
      ),
      (
        ["a/Exportieren.xml", "a/export_CDA.XML", "a/clinical/b/c.xml"], ["a/Exportieren.xml"],
        ["*.xml", "-x", "*_CDA.XML"]
      ),
      (
        ["a/export.xml", "other.XML", "__MACOSX/export.xml"], ["a/export.xml", "other.XML"],
        ["*.XML", "*.xml", "-x", "__MACOSX/*"]
      ),
      (["a.txt", "a_cda.xml"], [], ["-x", "*_cda.xml"]),
    ])
  func unpacking(_ names: [String], _ candidates: [String], _ words: [String]) {
    let unpacking = ZippedExport.Unpacking(of: names.map { .init(name: $0, bytes: 1) })
    #expect(unpacking.candidates.map(\.member.name) == candidates)
    #expect(unpacking.words == words)
  }

  @Test("The sizes of the files before a candidate say where it begins")
  func offsets() {
    let unpacking = ZippedExport.Unpacking(of: [
      .init(name: "a/_cda.xml", bytes: 1), .init(name: "a/b/deep.xml", bytes: 10),
      .init(name: "x", bytes: 100), .init(name: "a/b.xml", bytes: 1000),
      .init(name: "c.xml", bytes: 1),
    ])
    #expect(unpacking.candidates.map(\.offsetBytes) == [10, 1010])
  }

  @Test("Sizes that no file has are bounded, so that they have a sum")
  func hugeSizes() throws {
    let lines = ["a.xml", "b.xml", "c.xml"].map { "\(Int.max)  2026-11-21 16:33   \($0)" }
    let unpacking = ZippedExport.Unpacking(of: try lines.map { try #require(member($0)) })
    #expect(unpacking.candidates.map(\.offsetBytes) == [0, 1 << 40, 1 << 41])
  }

  @Test("A zip's name is a pattern that means itself")
  func operands() {
    #expect(ZippedExport.operand("-a[1]/b [1]*?\\.zip") == "./-a[1]/b [[]1][*][?][\\].zip")
  }
}
