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

  private static func sources() throws -> [(file: String, text: String)] {
    try ["Sources", "Tests", "Benchmarks"].flatMap { folder in
      let found = FileManager.default.enumerator(atPath: Page.root.appending(path: folder).path)
      let names = (found?.allObjects ?? []).compactMap { $0 as? String }
      return try names.filter { $0.hasSuffix(".swift") }.map { name in
        let file = "\(folder)/\(name)"
        return (file, try String(contentsOf: Page.root.appending(path: file), encoding: .utf8))
      }
    }
  }

  private static func comments(in text: String, of file: String) -> [Comment] {
    var comments: [Comment] = []
    var isOpen = false
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let trimmed = line.drop { $0 == " " }
      guard trimmed.hasPrefix("//") else {
        isOpen = false
        continue
      }
      let words = trimmed.drop { $0 == "/" }.drop { $0 == " " }
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
    for (file, text) in try Self.sources() {
      for comment in Self.comments(in: text, of: file) where comment.text.contains(".md") {
        for match in comment.text.matches(of: /\b([A-Za-z\/-]+\.md)(?:, ([^)]+)\))?/) {
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
    }
    #expect(count > 20)
  }

  @Test("No code or comment has guillemets: a section is cited with its page")
  func guillemets() throws {
    let found = try Self.sources().filter { $0.text.contains("\u{AB}") }.map(\.file)
    #expect(found == [])
  }

  @Test("A symbol that a comment links to is declared")
  func symbols() throws {
    let sources = try Self.sources()
    var declared: Set<String> = []
    // Not a literal, which takes seconds for all sources in a debug build.
    let declaration = try NSRegularExpression(
      pattern:
        #"\b(?:func|var|let|case|struct|class|enum|protocol|actor|typealias|init|subscript) ?`?(\w+)"#
    )
    for (_, text) in sources {
      let whole = NSRange(text.startIndex..., in: text)
      for match in declaration.matches(in: text, range: whole) {
        if let name = Range(match.range(at: 1), in: text) { declared.insert(String(text[name])) }
      }
      // Further names of one declaration: `case one, two`, `let one, two`.
      for match in text.matches(of: /(?m)^ +(?:case|let|var) (\w+(?:, \w+)+)/) {
        for name in match.1.split(separator: ", ") { declared.insert(String(name)) }
      }
    }
    var count = 0
    for (file, text) in sources {
      for comment in Self.comments(in: text, of: file) where comment.text.contains("``") {
        for match in comment.text.matches(of: /``([^` ]+)``/) {
          count += 1
          let name = match.1.prefix { $0 != "(" }.split(whereSeparator: { "/.-".contains($0) }).last
          let isThere = name.map { $0 == "init" || declared.contains(String($0)) } ?? false
          #expect(isThere, "\(comment.file):\(comment.line): \(match.1)")
        }
      }
    }
    #expect(count > 20)
  }
}
