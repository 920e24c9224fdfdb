import Foundation

/// A page of the documentation, and what is fenced in it.
struct Page: Sendable, CustomStringConvertible {
  /// What stands between two lines of backquotes.
  struct Fence: Hashable, Sendable, CustomStringConvertible {
    var page: String
    /// Of its first line of backquotes, from 1.
    var line: Int
    var language: String
    var text: String

    var firstLine: String { text.components(separatedBy: "\n")[0] }
    /// What somebody types: plain, or with the answers.
    var isCommands: Bool { language == "sh" || language == "console" }
    var description: String { "\(page):\(line): \(firstLine)" }
  }

  /// From the project's folder: `docs/fleet.md`.
  let name: String
  var description: String { name }
  let text: String
  let fences: [Fence]
  /// The text without what is fenced.
  let prose: String

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..", directoryHint: .isDirectory).standardized

  init(_ name: String) throws {
    self.init(
      name, try String(contentsOf: Self.root.appending(path: name), encoding: .utf8))
  }

  init(_ name: String, _ text: String) {
    var fences: [Fence] = []
    var prose: [String] = []
    var isInside = false
    for (number, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        if !isInside {
          fences.append(
            Fence(page: name, line: number + 1, language: String(line.dropFirst(3)), text: ""))
        }
        isInside.toggle()
      } else if isInside {
        fences[fences.count - 1].text += line + "\n"
      } else {
        prose.append(line)
      }
    }
    (self.name, self.text, self.fences) = (name, text, fences)
    self.prose = prose.joined(separator: "\n")
  }

  /// README.md and all of docs.
  static func all() throws -> [Page] {
    let files = FileManager.default.enumerator(atPath: root.appending(path: "docs").path)
    let docs = (files?.allObjects ?? []).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    return try (["README.md"] + docs).map { try Page($0) }
  }
}
