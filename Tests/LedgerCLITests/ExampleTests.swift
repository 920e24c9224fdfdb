import Testing

@testable import LedgerCLI

@Suite struct ExampleTests {
  private func problems(_ lines: String...) -> [String] {
    let spec = CommandSpec(
      "weigh", "weighs", group: .write, arguments: [.optional("KG", "how much")],
      options: [.value("notes", "N", "a remark")], examples: lines.map { CommandExample($0) })
    return CommandCatalog([spec]).problems
  }

  @Test("Every example in the help parses as a command line")
  func examplesAreCommandLines() {
    #expect(problems("ledger weigh 3", "ledger weigh --notes 'a b' | less > file") == [])
    #expect(problems("source <(ledger weigh)") == [])
    #expect(problems("ledger weigh --note x").count == 1)
    #expect(problems("ledger weight").count == 1)
    #expect(problems("weigh 3").count == 1)
    #expect(problems("ledger weigh 'open").count == 1)
    #expect(problems("ledger weigh --help").count == 1)
    #expect(problems() == ["weigh: no example"])
  }

  @Test("Words of an example are split as in a shell")
  func wordsAreSplitAsAShellDoes() {
    #expect(ExampleWords.split("a 'b c' \"d e\"f ''") == ["a", "b c", "d ef", ""])
    #expect(ExampleWords.split("a 'b|c'") == ["a", "b|c"])
  }
}

@Suite struct CompletionQueryTests {
  /// Words and descriptions that a shell or roff could misinterpret.
  private enum Odd: Command {
    static let spec = CommandSpec(
      "odd", #"it's "odd": $HOME `ls` \ 100%s; *"#, group: .more,
      arguments: [.optional("WORD", "", hint: .words(["it's", "a b", "$(ls)", "c:d", #"e\f"#]))],
      options: [.flag("it", "don't\nbreak\tthe line")], examples: [.init("ledger odd")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode { .done }
  }

  private func answer(_ shell: String, _ words: String...) -> [String] {
    let output = MemorySink()
    let error = MemorySink()
    let code = CommandTable([Odd.self]).run(
      ["__complete", shell, "--"] + words, streams: .captured(output: output, error: error))
    #expect(code == .done)
    #expect(error.text.isEmpty)
    return output.text.split(separator: "\n").map(String.init)
  }

  @Test("One candidate a line, as the shell reads it")
  func lines() {
    #expect(answer("bash", "odd", "") == ["it's", "a b", "$(ls)", "c:d", #"e\f"#])
    #expect(answer("bash", "odd", "'a") == ["a b"])
    #expect(answer("zsh", "odd", "").contains(#"c\:d"#))
    #expect(answer("zsh", "o").first == "odd\t" + #"it's "odd": $HOME `ls` \ 100%s; *"#)
    #expect(answer("fish", "odd", "--").first == "--it\tdon't break the line")
  }

  @Test("A value after an equals sign, in one word or in the three of bash")
  func equalsSign() {
    #expect(answer("bash", "--color", "=", "al") == ["always"])
    #expect(answer("bash", "--color", "=") == ["auto", "always", "never"])
    #expect(answer("bash", "--color=al") == ["--color=always"])
    #expect(answer("fish", "--color=").first == "--color=auto")
    #expect(answer("zsh", "--color=").first == "auto")
    #expect(answer("fish", "--ledger=x") == [":folder"])
    #expect(answer("fish", "--", "--color=") == [])
  }

  @Test("It is no command: help, overview and spelling suggestions do not name it")
  func hidden() {
    let output = MemorySink()
    let error = MemorySink()
    let streams = ConsoleStreams.captured(output: output, error: error)
    let table = LocalCommands.table
    #expect(table.run(["help"], streams: streams) == .done)
    #expect(table.run(["help", "--json"], streams: streams) == .done)
    #expect(table.run(["__complete", "tcsh", "--", ""], streams: streams) == .usage)
    #expect(table.run(["_complete"], streams: streams) == .usage)
    #expect(!output.text.contains("__complete"))
    #expect(!error.text.contains("did you mean"))
  }

  @Test("Completion hints come from the names of values")
  func aHintComesFromTheNameOfAValue() {
    #expect(ArgumentSpec.required("FILE", "").hint == .file)
    #expect(OptionSpec.value("to", "DIR", "").hint == .folder)
    #expect(OptionSpec.value("notes", "N", "").hint == .nothing)
    #expect(OptionSpec.flag("all", "").hint == .nothing)
    #expect(OptionSpec.value("of", "X", allowed: ["a"], "").hint == .words(["a"]))
  }

  @Test("The manual escapes what roff would interpret")
  func theManualHidesNothingFromRoff() {
    #expect(Roff.text("a…b é →") == #"a...b \[u00E9] \[u2192]"#)
    #expect(Roff.text(#".a 'b' \c -d"#) == #"\&.a \(aqb\(aq \ec \-d"#)
    #expect(
      ManualPage(catalog: CommandCatalog([Odd.spec])).text.contains(
        #"It\(aqs "odd": $HOME \(gals\(ga \e 100%s; *."#))
  }
}
