import Foundation
import LedgerTestSupport
import Testing

/// A page whose blocks of commands are run in order, in one shell, as by somebody who follows it.
struct FollowedPage {
  /// One command and what the page says it answers, both streams in their order; a plain block as a
  /// whole, of which only is asked that every command of it succeeds.
  struct Step {
    var command: String
    var answer: String?
  }

  let steps: [Step]

  /// In a `console` block `$ ` begins a command and `> ` goes on with it; all else is its answer.
  init(_ blocks: [Page.Fence]) throws {
    var steps: [Step] = []
    for block in blocks where block.isCommands {
      guard block.language == "console" else {
        steps.append(Step(command: block.text, answer: nil))
        continue
      }
      var found: [(command: String, answer: String)] = []
      for line in block.text.components(separatedBy: "\n").dropLast() {
        if line.hasPrefix("$ ") {
          found.append((String(line.dropFirst(2)), ""))
          continue
        }
        let last = try #require(found.indices.last, "\(block)")
        if line.hasPrefix("> ") {
          found[last].command += "\n" + line.dropFirst(2)
        } else {
          found[last].answer += line + "\n"
        }
      }
      steps += found.map { Step(command: $0.command, answer: $0.answer) }
    }
    self.steps = steps
  }

  /// Runs all steps and compares their answers, but for what is another each time.
  func follow(in directory: String, environment: [String: String]) throws {
    // Behind each step its number, without touching the exit code that the next one may ask for.
    let script = steps.enumerated().map { number, step in
      let text =
        step.answer == nil
        ? "set -e -o pipefail\n\(step.command)\nset +e +o pipefail" : step.command
      return text + "\ncode=$?; printf '\\n<<<\(number)>>>\\n'; (exit $code)\n"
    }
    let result = try Executable(path: "/bin/bash").run(
      [
        "-c",
        "exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n" + script.joined(),
      ],
      environment: environment, in: directory)
    var answers = result.output.split(
      separator: /\n<<<[0-9]+>>>\n/, omittingEmptySubsequences: false)
    let rest = answers.removeLast()
    for (step, answer) in zip(steps, answers) {
      guard let wanted = step.answer else { continue }
      let said = answer.isEmpty || answer.hasSuffix("\n") ? String(answer) : answer + "\n"
      #expect(Self.masked(said) == Self.masked(wanted), "$ \(step.command)")
    }
    if answers.count < steps.count {
      Issue.record("the shell ended in:\n\(steps[answers.count].command)\nwith:\n\(rest)")
    }
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
      .replacing(/SHA256:[A-Za-z0-9+\/]{43}/, with: "SHA256:KEY")
      .replacing(/[ \t]+\n/, with: "\n")
  }

  /// Which of these a page asks for and the tester's PATH does not have.
  static func missing(_ tools: [String]) -> [String] {
    let folders = path.split(separator: ":")
    return tools.filter { tool in
      !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
  }

  private static var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "" }

  /// The built programs, and of the tester's environment only what finds tools.
  static func environment(home: String) -> [String: String] {
    [
      "PATH": "\(Executable.folder.path):\(path)", "LANG": "C.UTF-8", "no_proxy": "*",
      "HOME": ProcessInfo.processInfo.environment["HOME"] ?? home, "PYTHONDONTWRITEBYTECODE": "1",
    ]
  }
}
