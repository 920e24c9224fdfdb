import Foundation
import Testing

/// What comments refer to: pages and their sections, and symbols in double backquotes.
@Suite(.blocks) struct CommentReferenceTests {
  /// A run of comment lines, joined.
  private struct Comment {
    var file: String
    var line: Int
    var text: String
  }

  private static let sources = Result {
    try ["Sources", "Tests", "Benchmarks"].flatMap { folder -> [(file: String, text: String)] in
      let found = FileManager.default.enumerator(atPath: Page.root.appending(path: folder).path)
      let names = (found?.allObjects ?? []).compactMap { $0 as? String }
      return try names.filter { $0.hasSuffix(".swift") }.map { name in
        let file = "\(folder)/\(name)"
        return (file, try String(contentsOf: Page.root.appending(path: file), encoding: .utf8))
      }
    }
  }

  private static let comments = Result {
    try sources.get().flatMap { comments(in: $0.text, of: $0.file) }
  }

  private static func comments(in text: String, of file: String) -> [Comment] {
    var comments: [Comment] = []
    var isOpen = false
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      // By bytes, since most lines are no comments.
      let trimmed = line.utf8.drop { $0 == UInt8(ascii: " ") }
      guard trimmed.starts(with: "//".utf8) else {
        isOpen = false
        continue
      }
      let words = Substring(trimmed).drop { $0 == "/" }.drop { $0 == " " }
      if isOpen {
        comments[comments.count - 1].text += " " + words
      } else {
        comments.append(Comment(file: file, line: index + 1, text: String(words)))
        isOpen = true
      }
    }
    return comments
  }

  @Test("A page that a comment cites exists, and so does the section")
  func pages() throws {
    let headings = Dictionary(
      uniqueKeysWithValues: try Page.all().map { page in
        (page.name, Set(page.prose.matches(of: /(?m)^#+ +(.+?) *$/).map { String($0.1) }))
      })
    var count = 0
    // Made once: a literal is compiled again wherever it is reached.
    let citation = /\b([A-Za-z\/-]+\.md)(?:, ([^)]+)\))?/
    for comment in try Self.comments.get() where comment.text.contains(".md") {
      for match in comment.text.matches(of: citation) {
        let page = String(match.1)
        let isKnown = headings[page] != nil
        #expect(isKnown, "\(comment.file):\(comment.line): \(page)")
        guard let section = match.2, isKnown else { continue }
        count += 1
        #expect(
          headings[page]?.contains(String(section)) == true,
          "\(comment.file):\(comment.line): \(page), \(section)")
      }
    }
    #expect(count > 20)
  }

  @Test("No code or comment has guillemets: a section is cited with its page")
  func guillemets() throws {
    let found = try Self.sources.get().filter { $0.text.contains("\u{AB}") }.map(\.file)
    #expect(found == [])
  }

  @Test("A symbol that a comment links to is declared")
  func symbols() throws {
    let sources = try Self.sources.get()
    var declared: Set<String> = []
    // Not a literal, which takes seconds for all sources in a debug build.
    let declaration = try NSRegularExpression(
      pattern:
        #"\b(?:func|var|let|case|struct|class|enum|protocol|actor|typealias|init|subscript) ?`?(\w+)"#
    )
    // Further names of one declaration: `case one, two`, `let one, two`.
    let several = try NSRegularExpression(
      pattern: #"(?m)^ +(?:case|let|var) (\w+(?:, \w+)+)"#)
    for (_, text) in sources {
      let whole = NSRange(text.startIndex..., in: text)
      for match in declaration.matches(in: text, range: whole) {
        if let name = Range(match.range(at: 1), in: text) { declared.insert(String(text[name])) }
      }
      for match in several.matches(in: text, range: whole) {
        guard let names = Range(match.range(at: 1), in: text) else { continue }
        declared.formUnion(text[names].components(separatedBy: ", "))
      }
    }
    var count = 0
    let link = /``([^` ]+)``/
    for comment in try Self.comments.get() where comment.text.contains("``") {
      for match in comment.text.matches(of: link) {
        count += 1
        let name = match.1.prefix { $0 != "(" }.split(whereSeparator: { "/.-".contains($0) }).last
        let isThere = name.map { $0 == "init" || declared.contains(String($0)) } ?? false
        #expect(isThere, "\(comment.file):\(comment.line): \(match.1)")
      }
    }
    #expect(count > 20)
  }
}
