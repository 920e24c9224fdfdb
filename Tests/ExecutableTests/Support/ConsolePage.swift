import Foundation
import Testing

/// A page of the documentation whose ```console blocks show what somebody types and is answered.
struct ConsolePage {
  /// One command and what the page says it answers, both streams in their order.
  struct Step {
    var command: String
    var answer: String
  }

  let text: String
  let steps: [Step]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs").standardized

  /// `$ ` begins a command and `> ` goes on with it; all else in a block is its answer.
  init(_ name: String) throws {
    text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    var steps: [Step] = []
    var isInside = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), answer: ""))
      } else if isInside, line.hasPrefix("> ") {
        let last = try #require(steps.indices.last, "\(line)")
        steps[last].command += "\n" + line.dropFirst(2)
      } else if isInside {
        let last = try #require(steps.indices.last, "\(line)")
        steps[last].answer += line + "\n"
      }
    }
    self.steps = steps
  }

  /// Runs all commands in one shell, as somebody would who follows the page.
  ///
  /// - Returns: what each answered, as far as the shell got.
  func run(in directory: String, environment: [String: String]) throws -> [String] {
    // Behind each command its number, without touching the exit code that the next one may ask for.
    let script = steps.enumerated().map { number, step in
      step.command + "\ncode=$?; printf '\\n<<<\(number)>>>\\n'; (exit $code)\n"
    }
    let shell = Executable(path: "/bin/bash")
    let result = try shell.run(
      ["-c", "exec 2>&1\n" + script.joined()], environment: environment, in: directory)
    return result.output.split(separator: /\n<<<[0-9]+>>>\n/, omittingEmptySubsequences: false)
      .dropLast().map(String.init)
  }

  /// The text without what is another each time: ids, hashes, moments, ports.
  static func masked(_ text: String) -> String {
    text.replacing(/[0-9a-f]{64}/, with: "HASH")
      .replacing(/[0-9a-f]{8}-[0-9a-f]{4}(-[0-9a-f]{4}){2}-[0-9a-f]{12}/, with: "ID")
      .replacing(/\b[0-9a-f]{8}-[0-9a-f]{4}\b/, with: "ID")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{5,8}(\.[0-9]+)?Z?/, with: "MOMENT")
      .replacing(/[A-Z][a-z]{2} [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}(, [0-9:]{5,8})?/, with: "DAY")
      .replacing(/127\.0\.0\.1:[0-9]+/, with: "BACKEND")
      .replacing(/byte [0-9]+/, with: "byte N")
      .replacing(/[ \t]+\n/, with: "\n")
  }
}
