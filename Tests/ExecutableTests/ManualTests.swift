import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What is generated from the specs of all commands: the manual page and the help as data.
@Suite(.blocks) struct ManualTests {
  private func commands() throws -> [JSONObject] {
    let result = try Executable.ledger.run(["help", "--json"], in: "/")
    try #require(result.code == 0, "\(result.error)")
    let answer = try JSONValue(parsing: result.output, rules: .wire).object
    return try #require(answer?["commands"]?.array).compactMap(\.object)
  }

  @Test("help --json has every command, those of ledger-sync with options and examples")
  func helpAsData() throws {
    let commands = try commands()
    let names = commands.compactMap { $0["name"]?.string }
    for name in ["init", "append correction", "sync", "backend", "completions", "manual"] {
      #expect(names.contains(name))
    }
    for command in commands {
      let name = command["name"]?.string ?? ""
      #expect(command["examples"]?.array?.isEmpty == false, "\(name) has no example")
      #expect(command["summary"]?.string?.isEmpty == false, "\(name)")
    }
    let sync = try #require(commands.first { $0["name"] == "sync" })
    let options = sync["options"]?.array?.compactMap { $0.object?["name"]?.string } ?? []
    #expect(options.contains("dry-run"))
    #expect(sync["helper"] == "ledger-sync")
  }

  @Test("The help of a forwarded command needs no second program")
  func helpAlone() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/ledger"
    // Not copied by this process: a child started meanwhile would keep the copy open for writing.
    let copied = try Executable(path: "/bin/cp").run([Executable.ledger.path, path], in: "/")
    try #require(copied.code == 0, "\(copied.error)")
    let alone = Executable(path: path)
    let help = try alone.run(["sync", "--help"], in: "/")
    #expect(help.code == 0)
    #expect(help.output.contains("--dry-run"))
    let run = try alone.run(["sync"], in: "/")
    #expect(run.code == 1)
    #expect(run.error.contains("the helper 'ledger-sync' is missing"))
  }

  @Test("The manual page has every command and every option, and nothing that roff would swallow")
  func page() throws {
    let result = try Executable.ledger.run(["manual"], in: "/")
    try #require(result.code == 0, "\(result.error)")
    let page = result.output
    #expect(page.contains("\n.TH LEDGER 1 "))
    #expect(page.utf8.allSatisfy { $0 < 0x80 })
    func roff(_ text: String) -> String { text.replacing("-", with: #"\-"#) }
    for command in try commands() {
      let name = try #require(command["name"]?.string)
      #expect(page.contains(#"\fBledger \#(roff(name))\fR"#), "\(name)")
      for option in command["options"]?.array?.compactMap(\.object) ?? [] {
        let option = try #require(option["name"]?.string)
        #expect(page.contains(#"\fB\-\-\#(roff(option))\fR"#), "\(name) --\(option)")
      }
    }
    let requests: Set = ["TH", "SH", "SS", "PP", "TP", "RS", "RE", "br", "nf", "fi", "ad", #"\""#]
    for line in page.split(separator: "\n") where line.first == "." || line.first == "'" {
      let request = line.dropFirst().prefix { $0 != " " }
      #expect(line.first == "." && requests.contains(String(request)), "\(line)")
    }
    let json = try Executable.ledger.run(["manual", "--json"], in: "/")
    #expect(try JSONValue(parsing: json.output).object?["page"]?.string == page)
  }

  static let mandoc = "/usr/bin/mandoc"

  @Test(
    "mandoc finds nothing wrong with the page",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: mandoc), "there is no \(mandoc)"))
  func lint() throws {
    let folder = try TemporaryFolder()
    let page = try Executable.ledger.run(["manual"], in: "/").output
    try Data(page.utf8).write(to: URL(filePath: "\(folder.path)/ledger.1"))
    let result = try Executable(path: Self.mandoc).run(
      ["-T", "lint", "-W", "warning", "ledger.1"], in: folder.path)
    #expect(result.output.isEmpty)
    #expect(result.code == 0)
  }
}
