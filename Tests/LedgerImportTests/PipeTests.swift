import LedgerModel
import LedgerPlatform
import Testing

@testable import LedgerImport

/// Pipes, which are copied as far as they are read.
@Suite struct PipeTests {
  /// A pipe that is never closed by its writer.
  private final class OpenPipe {
    private var ends: [Int32] = [0, 0]

    init(_ text: String) {
      pipe(&ends)
      var text = text
      text.withUTF8 { _ = write(ends[1], $0.baseAddress, $0.count) }
    }

    deinit {
      for end in ends { close(end) }
    }

    func endWriting() {
      close(ends[1])
      ends[1] = -1
    }

    var source: ImportSource { ImportSource(path: "/dev/fd/\(ends[0])") }
  }

  @Test("A pipe without an end is refused by its beginning", .timeLimit(.minutes(1)))
  func withoutEnd() {
    let lines = OpenPipe(String(repeating: "y\n", count: 1 << 15))
    let refusal = #expect(throws: ImportError.self) {
      try CSVImport.read(recognizing: lines.source, rules: [], context: context())
    }
    #expect(refusal?.description.contains("has no row that names a date and a metric") == true)
  }

  @Test("A pipe is read several times")
  func severalTimes() throws {
    let rows = (1...9).map { "2026-01-0\($0),8\($0)\n" }.joined()
    let open = OpenPipe("Date,Weight\n" + rows)
    open.endWriting()
    let source = try open.source.rereadable()
    #expect(source.sizeBytes == nil)
    #expect(try FileKind(of: source) == .csv)
    for _ in 0..<2 {
      let result = try CSVImport.read(recognizing: source, rules: [], context: context())
      #expect(result.edits.count == 9)
    }
    #expect(source.sizeBytes == 12 + rows.utf8.count)
  }

  @Test("Standard input has several names", arguments: ["-", "/dev/stdin", "/dev/fd/0"])
  func standardInput(_ path: String) {
    #expect(ImportSource(path: path) == .standardInput)
  }

  @Test("A zip on a pipe is refused with what to do")
  func zip() {
    let zip = OpenPipe("PK\u{3}\u{4}" + String(repeating: ".", count: 1000))
    zip.endWriting()
    let refusal = #expect(throws: ImportError.self) {
      try AppleHealthImport.read(zip.source, today: day("2026-11-21"), context: context())
    }
    #expect(
      refusal?.description.hasSuffix("is a zip; give the zip's own name, or the export.xml in it")
        == true)
  }
}
