import LedgerCLI
import Synchronization
import Testing

/// Fails from the first write on, and counts the tries.
final class FailingSink: OutputSink {
  let failure: OutputFailure
  let tries = Mutex(0)

  init(_ failure: OutputFailure) {
    self.failure = failure
  }

  func write(_ bytes: [UInt8]) throws(OutputFailure) {
    tries.withLock { $0 += 1 }
    throw failure
  }
}

@Suite struct ConsoleTests {
  let output = MemorySink()
  let error = MemorySink()

  func console(
    _ settings: ConsoleSettings = .init(), _ change: (inout ConsoleStreams) -> Void = { _ in }
  ) -> Console {
    var streams = ConsoleStreams.captured(output: output, error: error)
    change(&streams)
    return Console(streams, settings)
  }

  @Test("On a terminal a long sentence is broken at words, elsewhere it is one line")
  func sentences() throws {
    let sentence = "the session is over and " + String(repeating: "word ", count: 20) + "ends"
    for isTerminal in [true, false] {
      let console = console(.init(color: .never)) { streams in
        (streams.errorIsTerminal, streams.outputIsTerminal) = (isTerminal, isTerminal)
      }
      let before = (output.text.count, error.text.count)
      console.warn(sentence)
      console.note(sentence)
      console.report(CommandFailure(.failed, sentence, hint: sentence))
      try console.done(sentence)
      try console.flush()
      let lines = (output.text.dropFirst(before.0) + error.text.dropFirst(before.1))
        .split(separator: "\n")
      #expect(lines.count == (isTerminal ? 10 : 5), "\(lines)")
      #expect(lines.allSatisfy { !isTerminal || $0.count <= 80 })
      #expect(lines.allSatisfy { !isTerminal || $0.hasSuffix("word") || $0.hasSuffix("ends") })
    }
  }

  @Test("Output to a pipe is buffered until it is flushed, long, or followed by a note")
  func buffersUntilAPipeIsServedOrErrorsSpeak() throws {
    let console = console()
    try console.line("first")
    #expect(output.text == "")
    console.note("second")
    #expect(output.text == "first\n")
    try console.write(bytes: [0xFF, 0x0A])
    try console.flush()
    #expect(output.bytes.suffix(2) == [0xFF, 0x0A])
    try console.write(String(repeating: "x", count: 70_000))
    #expect(output.bytes.count > 70_000)
  }

  @Test("The elements of an answer are written while later ones are still to be made")
  func elements() throws {
    let output = output
    let element = String(repeating: "x", count: 1000)
    for count in [0, 1, 2, 200] {
      let console = console(.init(json: true))
      let before = output.bytes.count
      var writtenBytes = 0
      let elements = sequence(state: 0) { made -> String? in
        writtenBytes = output.bytes.count - before
        made += 1
        return made <= count ? element : nil
      }
      try console.answer(each: elements) { Issue.record("text instead of JSON") }
      #expect(writtenBytes > (count - 70) * 1000)
      try console.flush()
      let all = Array(repeating: "\"\(element)\"", count: count).joined(separator: ",")
      #expect(output.text.dropFirst(before) == "[\(all)]\n")
    }
  }

  @Test("Every line is written to a terminal at once")
  func terminalSeesEveryLineAtOnce() throws {
    let console = console { $0.outputIsTerminal = true }
    try console.line("first")
    #expect(output.text == "first\n")
  }

  @Test("A closed pipe ends the command without an error")
  func readerThatLeavesEndsQuietly() {
    let gone = FailingSink(.readerGone)
    let console = console { $0.output = gone }
    #expect(throws: OutputFailure.readerGone) {
      while true { try console.line("more and more and more") }
    }
    #expect(console.finish(.failure(OutputFailure.readerGone)) == .done)
    #expect(console.finish(.success(.damaged)) == .damaged)
    #expect(error.text == "")
    #expect(gone.tries.withLock { $0 } == 1)
  }

  @Test("A failed write fails the command and is reported once")
  func fullDiskFailsTheCommandOnce() throws {
    let full = FailingSink(.failed(reason: "No space left on device"))
    let console = console { $0.output = full }
    try console.line("lost")
    #expect(console.finish(.success(.done)) == .failed)
    #expect(
      error.text == "ledger: cannot write to standard output: No space left on device; "
        + "what was printed is not complete\n")
    #expect(console.finish(.failure(full.failure)) == .failed)
    #expect(error.text.split(separator: "\n").count == 2)
  }

  @Test("A write that failed before a note still fails the command")
  func failureBehindANoteIsNotForgotten() throws {
    let console = console { $0.output = FailingSink(.failed(reason: "gone")) }
    try console.line("lost")
    console.note("this flushes first")
    #expect(throws: OutputFailure.self) { try console.line("later") }
    #expect(console.finish(.success(.done)) == .failed)
  }

  @Test("Any error is reported with an exit code")
  func reportsAnyError() {
    struct Odd: Error, CustomStringConvertible {
      var description: String { "odd\nthing" }
    }
    #expect(console().report(Odd()) == .failed)
    #expect(error.text == "ledger: odd\\nthing\n")
    #expect(console().report(UsageError.missingArgument("A"), command: "x") == .usage)
  }

  @Test("Control characters are escaped on a terminal")
  func nothingSteersTheTerminal() throws {
    let onTerminal = console { $0.outputIsTerminal = true }
    #expect(onTerminal.shown("a\u{1B}[2Jb") == #"a\u{1B}[2Jb"#)
    #expect(console().shown("a\u{1B}b") == "a\u{1B}b")
    let console = console()
    console.note("a\u{1B}b")
    console.warn("a\nb")
    #expect(error.text == "a\\u{1B}b\nledger: warning: a\\nb\n")
  }

  @Test(
    "Color depends on the option, the environment and the terminal",
    arguments: [
      (ConsoleSettings.Color.auto, true, [:], true),
      (.auto, false, [:], false),
      (.auto, true, ["NO_COLOR": "1"], false),
      (.auto, true, ["NO_COLOR": ""], true),
      (.auto, true, ["TERM": "dumb"], false),
      (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
      (.never, true, [:], false),
    ])
  func decidesOnColor(
    _ color: ConsoleSettings.Color, _ isTerminal: Bool, _ environment: [String: String],
    _ isOn: Bool
  ) {
    func change(_ streams: inout ConsoleStreams) {
      streams.outputIsTerminal = isTerminal
      streams.errorIsTerminal = isTerminal
      streams.environment = { environment[$0] }
    }
    #expect(console(.init(color: color), change).paint.isOn == isOn)
    #expect(console(.init(color: color), change).errorPaint.isOn == isOn)
    #expect(console(.init(json: true, color: color), change).paint == .plain)
  }

  @Test(
    "The width comes from the terminal or the environment",
    arguments: [
      (true, nil, nil, 80), (true, 120, nil, 120), (true, 120, "50", 50), (true, 120, "0", 120),
      (true, 120, "wide", 120), (true, 3, nil, 20), (false, 120, "50", 80),
    ])
  func knowsItsWidth(_ isTerminal: Bool, _ columns: Int?, _ variable: String?, _ width: Int) {
    let console = console {
      $0.outputIsTerminal = isTerminal
      $0.columns = { columns }
      $0.environment = { $0 == "COLUMNS" ? variable : nil }
    }
    #expect(console.width == width)
  }

  @Test("Standard input is read once, to its end")
  func readsWhatItIsGiven() throws {
    let console = console { $0.input = MemoryInput("a\nb") }
    #expect(try console.input.read() == Array("a\nb".utf8))
    #expect(try console.input.read() == [])
  }
}
