import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// The stubs of `ledger completions`, run by the shells themselves.
@Suite(.blocks) struct CompletionTests {
  static let cases: [(typed: [String], offered: Set<String>)] = [
    (["app"], ["append"]),
    (["sy"], ["sync"]),
    (["append", "wei"], ["weight"]),
    (["append", "prof"], ["profile"]),
    (["append", "weight", "75", "--no"], ["--notes"]),
    (["append", "weight", "75", "--notes", ""], []),
    (["append", "correction", ""], []),
    (["explain", ""], []),
    (["help", "ver"], ["verify", "version"]),
    (["append", "profile", "--unit-system", ""], ["metric", "imperial"]),
    (["--ledger", "x y", "--color", "al"], ["always"]),
    (["settings", "sync.co"], ["sync.conflicts", "sync.concurrency"]),
    (["settings", "sync.conflicts", ""], ["local", "remote", "ask"]),
    (["settings", "--unset", "zo"], ["zone"]),
    (["show", "progress", "--type", "st"], ["steps"]),
    (["append", "rh"], ["rhr"]),
    (["show", "days", "--metric", "resting-p"], ["resting-pulse"]),
    (["log", "--type", "progress.l"], ["progress.logged"]),
    (["blame", "profile.n"], ["profile.name"]),
    (["completions", ""], ["bash", "zsh", "fish"]),
    (["resolve", "4", "--take", ""], ["local", "remote", "one", "both"]),
    (["import", "c"], ["csv"]),
    (["import", "csv", "a file.c"], ["a file.csv"]),
    // Commands of ledger-sync.
    (["sync", "--dry"], ["--dry-run"]),
    (["backend", "--dialect", "log"], ["logged-at"]),
    (["append", "weight", "-3", "--notes", "x", "--ti"], ["--time"]),
    (["log", "-n", "5", "--type", "progress.l"], ["progress.logged"]),
    (["append", "--", "--no"], []),
    (["nonsense", ""], []),
  ]

  /// The stubs call the `ledger` in PATH.
  private static let path = "\(Executable.folder.path):/usr/bin:/bin"

  private static func shell(_ name: String) -> String? {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private func script(_ shell: String) throws -> String {
    let made = try Executable.ledger.run(["completions", shell], in: "/")
    try #require(made.code == 0, "\(made.error)")
    #expect(made.error.isEmpty)
    return made.output
  }

  /// Completes every case in a shell, and compares the candidates.
  private func check(
    _ name: String, _ arguments: [String], ask: ([String]) -> String
  ) throws {
    let path = try #require(Self.shell(name))
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: "\(folder.path)/a file.csv"))
    try Data(script(name).utf8).write(to: URL(filePath: "\(folder.path)/script"))
    for (typed, offered) in Self.cases {
      let result = try Executable(path: path).run(
        arguments + [ask(typed)],
        environment: ["HOME": folder.path, "PATH": Self.path, "LANG": "C.UTF-8"],
        in: folder.path)
      let words = result.output.split(separator: "\n").map { line in
        // A description follows the tab.
        String(line.prefix { $0 != "\t" })
      }
      #expect(Set(words) == offered, "\(name), \(typed): \(result.error)")
      #expect(result.error.isEmpty, "\(name), \(typed)")
    }
  }

  private func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: #"'\''"#) + "'"
  }

  @Test("bash completes every kind of word", .enabled(if: shell("bash") != nil, "there is no bash"))
  func bash() throws {
    try check("bash", ["--norc", "-c"]) { typed in
      """
      source ./script
      [ "$(complete -p ledger)" = 'complete -F _ledger ledger' ] || exit 1
      COMP_WORDS=(ledger \(typed.map(quoted).joined(separator: " "))); COMP_CWORD=\(typed.count)
      _ledger
      for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done
      """
    }
  }

  @Test("bash splits --option=value", .enabled(if: shell("bash") != nil, "there is no bash"))
  func bashEquals() throws {
    let folder = try TemporaryFolder()
    try Data(script("bash").utf8).write(to: URL(filePath: "\(folder.path)/script"))
    for words in ["--color = al", "show days --color = al"] {
      let count = words.split(separator: " ").count
      let result = try Executable(path: try #require(Self.shell("bash"))).run(
        [
          "--norc", "-c",
          "source ./script; COMP_WORDS=(ledger \(words)); COMP_CWORD=\(count); _ledger; "
            + #"echo "${COMPREPLY[*]}""#,
        ], environment: ["PATH": Self.path], in: folder.path)
      #expect(result.output == "always\n", "\(words): \(result.error)")
    }
  }

  @Test("zsh completes every kind of word", .enabled(if: shell("zsh") != nil, "there is no zsh"))
  func zsh() throws {
    try check("zsh", ["-f", "-c"]) { typed in
      """
      # What the completion system would show, one a line, as far as it matches the current word.
      offer() { local w; for w in "$@"; do [[ $w == "${words[CURRENT]}"* ]] && print -r -- "$w"; done }
      _describe() { local name=${@[-1]}; local -a all=("${(@P)name}"); offer "${(@)all%%:*}" }
      _files() { offer *(N) }
      compset() { : }
      source ./script
      words=(ledger \(typed.map(quoted).joined(separator: " "))); CURRENT=\(typed.count + 1)
      _ledger
      exit 0
      """
    }
  }

  @Test("fish completes every kind of word", .enabled(if: shell("fish") != nil, "there is no fish"))
  func fish() throws {
    try check("fish", ["--no-config", "-c"]) { typed in
      let line = typed.enumerated().map { index, word in
        let isLast = index == typed.count - 1
        return word.contains(" ")
          ? word.replacing(" ", with: #"\ "#)
          : word.isEmpty && !isLast ? "''" : word
      }.joined(separator: " ")
      return
        "source ./script; complete -C \(quoted("ledger " + line).replacing(#"\ "#, with: #"\\ "#))"
    }
  }

  @Test("A shell that is nearly one is asked about; the script can be had as JSON")
  func words() throws {
    let wrong = try Executable.ledger.run(["completions", "zhs"], in: "/")
    #expect(wrong.code == 2)
    #expect(wrong.error.contains("did you mean 'zsh'?"))
    let made = try Executable.ledger.run(["completions", "bash", "--json"], in: "/")
    let answer = try JSONValue(parsing: made.output).object
    #expect(answer?["shell"] == "bash")
    #expect(answer?["script"]?.string == (try script("bash")))
  }
}
