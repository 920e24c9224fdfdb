import Foundation

/// A line of `.ci/run` or `.ci/nightly` that runs a block as it stands on its page.
struct CIStep: Sendable, CustomStringConvertible {
  var script: String
  var page: String
  var beginning: String

  var description: String { "\(script): \(page): \(beginning)" }

  static let scripts = [".ci/run", ".ci/nightly"]

  static func all() throws -> [CIStep] {
    try scripts.flatMap { script in
      steps(of: script, try String(contentsOf: Page.root.appending(path: script), encoding: .utf8))
    }
  }

  static func steps(of script: String, _ text: String) -> [CIStep] {
    text.split(separator: "\n").filter { !$0.contains(/^\s*#/) }.flatMap { line in
      line.matches(of: /\.ci\/block"? ([^ ]+) '([^']+)'/).map {
        CIStep(script: script, page: String($0.1), beginning: String($0.2))
      }
    }
  }

  func takes(_ block: Page.Fence) -> Bool {
    block.page == page && block.language == "sh" && block.text.hasPrefix(beginning)
  }
}
