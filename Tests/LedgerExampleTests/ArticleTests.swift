import Foundation
import Testing

/// The code in the articles is compiled and tested.
@Suite struct ArticleTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..", directoryHint: .isDirectory).standardizedFileURL

  static let articles = (try? files(in: "Sources/LedgerKit/LedgerKit.docc", ending: "md")) ?? []

  static func files(in folder: String, ending: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: root.appending(path: folder), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == ending }.sorted { $0.path < $1.path }
  }

  /// The code blocks in Swift, line by line, as in an article.
  static func blocks(in article: URL) throws -> [[String]] {
    let text = try String(contentsOf: article, encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map { rest in
      (rest.components(separatedBy: "\n```").first ?? "").components(separatedBy: "\n")
    }
  }

  /// A file's lines without the space around them: an article shows a piece of a file further left.
  static func lines(of file: URL) throws -> [String] {
    trimmed(try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n"))
  }

  static func trimmed(_ lines: [String]) -> [String] {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test("There are articles, and they have code")
  func found() throws {
    #expect(Self.articles.count == 14)
    let blocks = try Self.articles.flatMap { try Self.blocks(in: $0) }
    #expect(blocks.count > 8)
  }

  @Test("Every code block is part of a compiled file", arguments: articles)
  func code(_ article: URL) throws {
    let sources = try
      (Self.files(in: "Sources/LedgerExample", ending: "swift")
      + Self.files(in: "Tests/LedgerExampleTests", ending: "swift")).map { try Self.lines(of: $0) }
    for block in try Self.blocks(in: article) where !block.contains("// Package.swift") {
      let wanted = Self.trimmed(block)
      let isThere = sources.contains { $0.contains(wanted) }
      #expect(isThere, "\(article.lastPathComponent):\n\(block.joined(separator: "\n"))")
    }
  }

  @Test("The products named in the articles exist")
  func products() throws {
    let package = try String(
      contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    for product in ["LedgerKit", "LedgerTestSupport"] {
      #expect(package.contains(".library(name: \"\(product)\""))
    }
  }
}
