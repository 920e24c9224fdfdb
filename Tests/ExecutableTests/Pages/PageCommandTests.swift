import Foundation
import LedgerJSON
import Testing

/// Commands and options that stand in the sentences of a page are the program's.
@Suite(.blocks) struct PageCommandTests {
  /// Each command's options, and those of all.
  private static func options() throws -> [String: Set<String>] {
    let said = try Executable.ledger.run(["help", "--json"]).output
    let help = try #require(JSONValue(parsing: Array(said.utf8)).object)
    func names(_ list: JSONValue?) -> [String] {
      (list?.array ?? []).compactMap { $0.object?["name"]?.string }
    }
    let everywhere = names(help["global_options"]) + ["help"]
    var options: [String: Set<String>] = ["help": Set(everywhere), "COMMAND": Set(everywhere)]
    for command in try #require(help["commands"]?.array).compactMap(\.object) {
      let name = try #require(command["name"]?.string?.split(separator: " ").first)
      options[String(name), default: Set(everywhere)].formUnion(names(command["options"]))
    }
    return options
  }

  @Test("What a page says of a command, the program knows")
  func commands() throws {
    let options = try Self.options()
    #expect(options.count > 25)
    var count = 0
    for page in try Page.all() {
      for code in PageLinkTests.code(of: page) {
        var words = code.replacing("\\|", with: " ").split(separator: " ").map(String.init)
        let isCall = words[0] == "ledger" && words.count > 1 && words[1].first?.isLetter == true
        if isCall { words.removeFirst() }
        guard let known = options[words[0]] else {
          #expect(!isCall, "\(page): \(code)")
          continue
        }
        for option in code.matches(of: /--([a-z][a-z-]+)/) {
          count += 1
          #expect(known.contains(String(option.1)), "\(page): \(code)")
        }
      }
    }
    #expect(count > 50)
  }
}
