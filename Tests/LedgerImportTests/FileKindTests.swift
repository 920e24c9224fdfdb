import LedgerModel
import Testing

@testable import LedgerImport

/// What a file is by its first bytes, and how others than text are refused.
@Suite struct FileKindTests {
  private static let workbook = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 26)

  @Test(
    "A file that is no text is refused with what it is and what to do",
    arguments: [
      (Array("PK\u{5}\u{6}".utf8), "an empty zip file; export or download it again"),
      (
        workbook + Array("[Content_Types].xml".utf8),
        "a workbook of a spreadsheet; save its sheet as CSV in UTF-8 and import that"
      ),
      (
        Array("%PDF-1.4".utf8),
        "a PDF; export the data as CSV in UTF-8 from the program that has it"
      ),
      (
        Array(#"{\rtf1\ansi Date}"#.utf8),
        "a formatted document (RTF); save it as plain text in UTF-8"
      ),
      (
        Array("\u{FEFF}\n<!DOCTYPE HTML>".utf8),
        "a web page (HTML); export the data as CSV in UTF-8 from the program that has it"
      ),
      ([0xFF, 0xFE, 0x7B, 0], "text in UTF-16; save it as text in UTF-8"),
    ] as [([UInt8], String)])
  func refusals(_ bytes: [UInt8], _ sentence: String) {
    #expect(ForeignFile.refusal(of: bytes, named: "x")?.description == "x is \(sentence)")
  }

  @Test("JSON in UTF-16 is no table, so that its reader says how it is to be saved")
  func utf16() throws {
    func kind(_ text: String, _ mark: [UInt8]) throws -> FileKind {
      let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      return try FileKind(of: .bytes(mark + bytes, name: "x"))
    }
    for mark in [[], [0xFF, 0xFE]] as [[UInt8]] {
      #expect(try kind(#"{"seq":1,"type":"ledger.created"}"#, mark) == .events)
      #expect(try kind(#"[{"type":"weight"}]"#, mark) == .legacy)
      #expect(try kind("Date,Weight\n2026-01-05,70\n", mark) == .csv)
    }
    #expect(try FileKind(of: source(#"{\rtf1\ansi Date}"#)) == .csv)
    for start in ["", "<!-- saved -->\n", "<?xml version=\"1.0\"?>\n<!-- a -->"] {
      #expect(try FileKind(of: source(start + "<html><body>")) == .csv)
      #expect(try FileKind(of: source(start + "<HealthData>")) == .appleHealth)
      let page = ForeignFile.refusal(of: Array("\(start)<table border=1><tr>".utf8), named: "x")
      #expect(page?.description.contains("a web page (HTML)") == true)
    }
    #expect(try FileKind(of: source("<HealthData>")) == .appleHealth)
  }
}
