import Foundation
import Testing

/// Links and names on the pages lead somewhere.
@Suite(.blocks) struct PageLinkTests {
  /// A heading as the forges turn it into an anchor.
  static func anchor(_ heading: String) -> String {
    heading.lowercased().replacing(" ", with: "-").filter {
      $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_"
    }
  }

  static func anchors(of page: Page) -> [String] {
    var seen: [String: Int] = [:]
    return page.prose.components(separatedBy: "\n").filter { $0.hasPrefix("#") }
      .compactMap { $0.wholeMatch(of: /#{1,6} +(.+?) */)?.1 }
      .map { heading in
        let anchor = anchor(String(heading))
        defer { seen[anchor, default: 0] += 1 }
        return seen[anchor].map { "\(anchor)-\($0)" } ?? anchor
      }
  }

  /// Where a page's links and pictures lead, but for those into the world.
  static func targets(of page: Page) -> [String] {
    let text = withoutCode(page.prose)
    return
      (text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
      + text.matches(of: /src="([^"]+)"/).map { String($0.1) })
      .filter { !$0.contains(/^[a-z]+:/) }
  }

  private static func withoutCode(_ text: String) -> String {
    text.replacing(/`[^`\n]*`/, with: "")
  }

  static func code(of page: Page) -> [String] {
    page.prose.matches(of: /`([^`\n]+)`/).map { String($0.1) }
  }

  @Test("Every link on a page has a file, and every anchor its heading", arguments: try Page.all())
  func links(_ page: Page) throws {
    let folder = Page.root.appending(path: page.name).deletingLastPathComponent()
    for target in Self.targets(of: page) {
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let file =
        parts[0].isEmpty
        ? Page.root.appending(path: page.name)
        : folder.appending(path: String(parts[0])).standardized
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page.name): \(target)")
      guard parts.count == 2, file.pathExtension == "md" else { continue }
      let other = Page(target, try String(contentsOf: file, encoding: .utf8))
      #expect(Self.anchors(of: other).contains(String(parts[1])), "\(page.name): \(target)")
    }
  }

  @Test("The README leads to every page, and every page is led to by its table")
  func table() throws {
    let linked = Set(Self.targets(of: try Page("README.md")))
    let pages = Set(try Page.all().map(\.name)).subtracting(["README.md"])
    #expect(pages.subtracting(linked) == [])
  }

  @Test("Files, folders and tests that a page names are there", arguments: try Page.all())
  func names(_ page: Page) throws {
    let files = Self.projectFiles
    // Made once: a literal is compiled again wherever it is reached.
    let testName = /([A-Z]\w+Tests)(?:\.(\w+))?/
    let folder = /^(Tests|Benchmarks|docs|\.ci|Ledger[A-Z]\w*)\//
    for code in Self.code(of: page) {
      // Of a command, only the program.
      let word = String(code.prefix { $0 != " " })
      if let test = code.wholeMatch(of: testName) {
        try expectTest(String(test.1), test.2.map(String.init), files, page)
      } else if word.contains(folder) {
        let name = word.split(separator: /[*,]/)[0].trimmingSuffix("/")
        let isThere = files.contains { $0.hasPrefix(name) || $0.contains("/\(name)") }
        #expect(isThere, "\(page.name): \(code)")
      }
    }
  }

  @Test("Tests that a page filters for, and parts of .ci/nightly, are there")
  func filters() throws {
    let files = Self.projectFiles
    let nightly = try String(
      contentsOf: Page.root.appending(path: ".ci/nightly"), encoding: .utf8)
    var count = 0
    for page in try Page.all() {
      for match in page.text.matches(of: /swift test [^`\n]*--filter '?([\w.|\\]+)/) {
        for part in match.1.replacing("\\", with: "").split(separator: "|") {
          let suite = part.prefix { $0 != "." }
          count += 1
          #expect(
            files.contains { $0.hasPrefix("Tests/") && $0.contains(suite) }, "\(page): \(part)")
        }
      }
      for match in page.text.matches(of: /\.ci\/nightly ([a-z]+)`/) {
        count += 1
        #expect(nightly.contains("\n    \(match.1))\n"), "\(page): \(match.1)")
      }
    }
    #expect(count > 10)
  }

  private func expectTest(
    _ suite: String, _ function: String?, _ files: [String], _ page: Page
  ) throws {
    let found = files.filter { $0.hasSuffix("/\(suite).swift") || $0.contains("/\(suite)/") }
    #expect(!found.isEmpty, "\(page.name): \(suite)")
    guard let function else { return }
    let isThere = try found.contains { file in
      try String(contentsOf: Page.root.appending(path: file), encoding: .utf8)
        .contains("func \(function)(")
    }
    #expect(isThere, "\(page.name): \(suite).\(function)")
  }

  private static let projectFiles = ["Sources", "Tests", "Benchmarks", "docs", ".ci"].flatMap {
    folder in
    let found = FileManager.default.enumerator(atPath: Page.root.appending(path: folder).path)
    return (found?.allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
  }

  @Test("Headings become anchors as on the forges")
  func anchors() {
    let page = Page("p", "# A `ledger` that starts, sooner\n## X\n```sh\n# none\n```\n## X\n")
    #expect(Self.anchors(of: page) == ["a-ledger-that-starts-sooner", "x", "x-1"])
    let links = Page("p", "[a](b.md#c) `[x](y)` [w](https://e.org) <img src=\"d.png\">\n")
    #expect(Self.targets(of: links) == ["b.md#c", "d.png"])
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
  }
}
