import Testing

@testable import LedgerImport

@Suite struct ZippedExportTests {
  func member(_ line: String) -> ZippedExport.Member? {
    ZippedExport.member(ofLine: Array(line.utf8)[...])
  }

  @Test func listingsAreRead() {
    #expect(
      member("  1234  2026-11-21 16:33   apple_health_export/export.xml")
        == .init(name: "apple_health_export/export.xml", bytes: 1234))
    #expect(member("1  11-21-2026 16:33   a b.xml") == .init(name: "a b.xml", bytes: 1))
    #expect(member("---------                     -------") == nil)
    #expect(member("") == nil)
  }

  @Test(
    arguments: [
      (["a/export.xml", "a/export_cda.xml", "a/x.gpx"], ["a/export.xml"]),
      (["a/Exportieren.xml", "a/export_cda.xml", "a/clinical/b/c.xml"], ["a/Exportieren.xml"]),
      (["a/export.xml", "other.xml", "__MACOSX/export.xml"], ["a/export.xml"]),
      (["a.xml", "b.xml"], ["a.xml", "b.xml"]), (["a.txt"], []),
    ])
  func theExportIsFound(_ names: [String], _ found: [String]) {
    let members = names.map { ZippedExport.Member(name: $0, bytes: 1) }
    #expect(ZippedExport.exports(among: members).map(\.name) == found)
  }

  @Test func namesArePatternsThatMeanThemselves() {
    #expect(ZippedExport.pattern("a/export.xml") == "a/export.xml")
    #expect(ZippedExport.pattern("a/[1]*.xml") == "a/\\[1]\\*.xml")
    #expect(ZippedExport.pattern("a/导出.xml") == "a/*.xml")
    #expect(ZippedExport.operand("-a[1]/b [1]*?\\.zip") == "./-a[1]/b [[]1][*][?][\\].zip")
  }
}
