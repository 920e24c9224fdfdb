import LedgerJSON
import Testing

@testable import LedgerCLI

@Suite struct ExampleTests {
  private func problems(_ lines: String...) -> [String] {
    let spec = CommandSpec(
      "weigh", "weighs", group: .write, arguments: [.optional("KG", "how much")],
      options: [.value("notes", "N", "a remark")], examples: lines.map { CommandExample($0) })
    return CommandCatalog([spec]).problems
  }

  @Test func examplesAreCommandLines() {
    #expect(problems("ledger weigh 3", "ledger weigh --notes 'a b' | less > file") == [])
    #expect(problems("source <(ledger weigh)") == [])
    #expect(problems("ledger weigh --note x").count == 1)
    #expect(problems("ledger weight").count == 1)
    #expect(problems("weigh 3").count == 1)
    #expect(problems("ledger weigh 'open").count == 1)
    #expect(problems("ledger weigh --help").count == 1)
    #expect(problems() == ["weigh: no example"])
  }

  @Test func wordsAreSplitAsAShellDoes() {
    #expect(ExampleWords.split("a 'b c' \"d e\"f ''") == ["a", "b c", "d ef", ""])
    #expect(ExampleWords.split("a 'b|c'") == ["a", "b|c"])
  }
}

@Suite struct CompletionTableTests {
  /// What a script may meet in a table, whatever its author thinks of next.
  private let odd = CommandCatalog([
    CommandSpec(
      "odd", #"it's "odd": $HOME `ls` \ 100%s; *"#, group: .more,
      arguments: [.optional("WORD", "", hint: .words(["it's", "a b", "$(ls)", "c:d", #"e\f"#]))],
      options: [.flag("it", "don't\nbreak\tthe line")], examples: [.init("ledger odd")])
  ])

  @Test func quotesWhateverATableHolds() {
    let table = CompletionTable(odd)
    let bash = Shell.bash.script(table)
    #expect(bash.contains(#"reply=('it'\''s' 'a b' '$(ls)' 'c:d' 'e\f')"#))
    let zsh = Shell.zsh.script(table)
    #expect(zsh.contains(#"'odd:it'\''s "odd": $HOME `ls` \ 100%s; *'"#))
    #expect(zsh.contains(#"'c\:d'"#))
    let fish = Shell.fish.script(table)
    #expect(fish.contains(#"'it\'s "odd": $HOME `ls` \\ 100%s; *'"#))
    #expect(fish.contains(#"'don\'t break the line'"#))
  }

  @Test func aHintComesFromTheNameOfAValue() {
    #expect(ArgumentSpec.required("FILE", "").hint == .file)
    #expect(OptionSpec.value("to", "DIR", "").hint == .folder)
    #expect(OptionSpec.value("notes", "N", "").hint == .nothing)
    #expect(OptionSpec.flag("all", "").hint == .nothing)
    #expect(OptionSpec.value("of", "X", allowed: ["a"], "").hint == .words(["a"]))
  }

  @Test func specsSurviveTheWayThroughJSON() {
    for spec in LocalCommands.catalog.specs + odd.specs {
      #expect(CommandSpec(json: spec.json) == spec, "\(spec.name)")
    }
  }

  @Test func helpersAreAskedOnceForTheirCommands() {
    let here = CommandCatalog([
      CommandSpec("sync", "short", group: .sync, helper: "far"),
      CommandSpec("login", "short", group: .sync, helper: "far"),
      CommandSpec("lost", "short", group: .sync, helper: "gone"),
    ])
    let far = CommandCatalog([
      CommandSpec(
        "sync", "long", group: .sync, options: [.flag("dry", "")], examples: [.init("ledger sync")])
    ])
    var asked: [String] = []
    let all = here.withHelpers { helper in
      asked.append(helper)
      return helper == "far" ? Array(far.json(.overview).serialized.utf8) : nil
    }
    #expect(asked == ["far", "gone"])
    #expect(all.specs.map(\.summary) == ["long", "short", "short"])
    #expect(all.specs[0].options.map(\.name) == ["dry"])
    #expect(all.specs[0].helper == "far")
  }

  @Test func theManualHidesNothingFromRoff() {
    #expect(Roff.text("a…b é →") == #"a...b \[u00E9] \[u2192]"#)
    #expect(Roff.text(#".a 'b' \c -d"#) == #"\&.a \(aqb\(aq \ec \-d"#)
    #expect(
      ManualPage(catalog: odd).text.contains(#"It\(aqs "odd": $HOME \(gals\(ga \e 100%s; *."#))
  }
}
