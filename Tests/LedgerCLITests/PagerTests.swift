import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerCLI

@Suite(.serialized) struct PagerTests {
  private let folder: TemporaryFolder
  private let screen = MemorySink()
  private let errors = MemorySink()

  init() throws {
    // As `ProcessSetup` does: a closed pipe fails the write.
    signal(SIGPIPE, SIG_IGN)
    folder = try TemporaryFolder()
  }

  private func pager(_ command: String) -> Pager {
    Pager(command: command, rows: 5, screen: screen, errorOutput: errors)
  }

  private func lines(_ count: Int) -> [UInt8] {
    Array((1...count).map { "line \($0)\n" }.joined().utf8)
  }

  @Test("An answer that fits the screen starts no pager")
  func shortAnswer() throws {
    let pager = pager("exit 1")
    try pager.write(lines(4))
    #expect(screen.bytes.isEmpty)
    try pager.finish()
    #expect(screen.bytes == lines(4))
  }

  @Test("A longer answer goes to the pager, and the errors follow it")
  func longAnswer() throws {
    let path = folder.path + "/paged"
    let pager = pager("cat > '\(path)'")
    var streams = ConsoleStreams.captured(output: screen, error: errors)
    streams.outputIsTerminal = true
    let console = Console(pager.streams(streams))
    try console.write(bytes: lines(3))
    console.note("three")
    try console.write(bytes: lines(3000))
    _ = console.finish(.success(.done))
    #expect(errors.bytes.isEmpty && screen.bytes.isEmpty)
    try pager.finish()
    #expect(errors.text == "three\n")
    #expect(try AtomicFile.read(path) == lines(3) + lines(3000))
  }

  @Test("A closed pager ends the output, and that is no error")
  func closed() throws {
    let pager = pager("exit 0")
    #expect(throws: OutputFailure.readerGone) {
      while true { try pager.write(lines(1000)) }
    }
    try pager.finish()
  }

  @Test("A pager that cannot be run is named")
  func missing() throws {
    let pager = pager("no-such-pager-here 2> /dev/null")
    try? pager.write(lines(9))
    #expect { try pager.finish() } throws: { error in
      (error as? OutputFailure)?.sentence.contains("no-such-pager-here") == true
    }
  }

  @Test("Without a terminal, or with an empty PAGER or cat, there is no pager")
  func none() {
    var streams = ConsoleStreams.captured(output: screen, error: errors)
    streams.rows = { 24 }
    #expect(Pager(for: streams) == nil)
    streams.outputIsTerminal = true
    #expect(Pager(for: streams) != nil)
    for command in ["", "cat"] {
      streams.environment = { $0 == "PAGER" ? command : nil }
      #expect(Pager(for: streams) == nil)
    }
  }
}
