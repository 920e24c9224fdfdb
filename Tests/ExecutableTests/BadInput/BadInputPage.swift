import Foundation
import LedgerTestSupport
import Testing

/// One table of docs/bad-input.md: what each input is said to get.
struct BadInputTable {
  struct Row {
    var code: Int32
    var answer: String
  }

  let rows: [String: Row]

  /// - Parameter header: the first cell of the table's head.
  init(_ header: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../..").standardized
    let page = try String(contentsOf: root.appending(path: "docs/bad-input.md"), encoding: .utf8)
    var rows: [String: Row] = [:]
    var isInside = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("| ") else {
        if !line.hasPrefix("|---") { isInside = false }
        continue
      }
      let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
      try #require(cells.count == 3, "\(line)")
      if cells[0] == header {
        isInside = true
      } else if isInside {
        let code = try #require(Int32(cells[1]), "\(line)")
        rows[cells[0]] = Row(code: code, answer: String(cells[2].dropFirst().dropLast()))
      }
    }
    try #require(!rows.isEmpty, "the page has no table '\(header)'")
    self.rows = rows
  }

  /// The page says nothing that is not tried, and everything that is.
  func expectTried(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(rows.keys.sorted() == names.sorted(), sourceLocation: sourceLocation)
  }

  func row(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Row {
    try #require(rows[name], "'\(name)' is not on the page", sourceLocation: sourceLocation)
  }
}

extension BadInputTable.Row {
  /// Whether this is what was said, `…` standing for anything.
  func expectIs(
    _ said: String, _ comment: @autoclosure () -> Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let parts = answer.components(separatedBy: "…")
    var rest = said[...]
    var fits = rest.hasPrefix(parts[0]) && rest.hasSuffix(parts[parts.count - 1])
    for part in parts where fits {
      guard let place = part.isEmpty ? rest.startIndex..<rest.startIndex : rest.range(of: part)
      else {
        fits = false
        break
      }
      rest = rest[place.upperBound...]
    }
    if parts.count == 1 { fits = said == answer }
    #expect(fits, "\(comment()): said '\(said)', not '\(answer)'", sourceLocation: sourceLocation)
  }
}

/// A ledger of three events whose every byte has its place, so that sentences can name it.
struct ThreeEvents {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/ledger"
    try must("init", "--device", "d")
    try must("append", "steps", "1", "--date", "2026-01-02")
    try must("append", "steps", "2", "--date", "2026-01-03")
  }

  func run(_ arguments: [String], input: Data = Data()) throws -> Executable.Result {
    let words = ["--ledger", path] + arguments
    return try Executable.ledger.start(words, input: input, in: folder.path).wait()
  }

  func must(_ arguments: String...) throws {
    let result = try run(arguments)
    try #require(result.code == 0, "\(arguments) \(result.error)")
  }

  func url(_ name: String) -> URL { URL(filePath: path).appending(path: name) }

  func log() throws -> Data { try Data(contentsOf: url("events.jsonl")) }

  func lines() throws -> [Data] {
    try log().split(separator: 0x0A).map { Data($0) + [0x0A] }
  }

  func write(_ lines: [Data]) throws { try Data(lines.joined()).write(to: url("events.jsonl")) }

  /// What was said first, without the program's name, and the ledger's place as the page has it.
  func sentence(_ text: String) -> String {
    let line = text.split(separator: "\n").first.map(String.init) ?? ""
    let plain = line.hasPrefix("ledger: ") ? String(line.dropFirst("ledger: ".count)) : line
    return plain.replacing(path, with: "DIR")
  }
}
