import Synchronization
import Testing

@testable import LedgerCLI

@Suite struct ProgressBarTests {
  /// A clock that a test moves by hand.
  final class Clock: Sendable {
    private let now = Mutex<UInt64>(0)

    var nanoseconds: UInt64 { now.withLock { $0 } }

    func pass(milliseconds: UInt64) {
      now.withLock { $0 += milliseconds * 1_000_000 }
    }
  }

  let output = MemorySink()
  let error = MemorySink()
  let clock = Clock()

  func console(
    isTerminal: Bool = true, quiet: Bool = false, environment: [String: String] = [:]
  ) -> Console {
    var streams = ConsoleStreams.captured(
      output: output, error: error, environment: environment)
    streams.errorIsTerminal = isTerminal
    let clock = clock
    streams.nanoseconds = { clock.nanoseconds }
    return Console(streams, ConsoleSettings(quiet: quiet, color: .never))
  }

  @Test("The bar appears after a second and is erased at the end")
  func waitsASecondAndLeavesNothing() throws {
    let console = console()
    let bar = console.progress("Reading", total: 100)
    bar.advance(by: 10)
    clock.pass(milliseconds: 999)
    bar.advance(by: 10)
    #expect(error.text == "")
    clock.pass(milliseconds: 1)
    bar.advance(to: 50)
    bar.advance()
    #expect(error.text.hasSuffix("50% (50 of 100)\u{1B}[K"))
    try console.line("answer")
    #expect(console.finish(.success(.done)) == .done)
    #expect(error.text.hasSuffix("\r\u{1B}[K"))
    #expect(error.text.split(separator: "\r").count == 2)
    #expect(output.text == "answer\n")
  }

  @Test("The bar is erased before an error is printed")
  func makesRoomForErrors() {
    let console = console()
    let bar = console.progress("Reading")
    clock.pass(milliseconds: 2_000)
    bar.advance(to: 1_000)
    console.note("look")
    #expect(error.text == "\rReading 1,000\u{1B}[K\r\u{1B}[Klook\n")
    bar.advance()
    #expect(error.text.hasSuffix("look\n"))
    clock.pass(milliseconds: 100)
    bar.advance()
    bar.finish()
    bar.finish()
    #expect(error.text.hasSuffix("look\n\rReading 1,002\u{1B}[K\r\u{1B}[K"))
  }

  @Test("The bar estimates the remaining time")
  func saysHowLongItMayTakeStill() {
    let bar = console().progress("Reading", total: 400, estimates: true)
    clock.pass(milliseconds: 2_000)
    bar.advance(to: 100)
    #expect(error.text.contains("25% (100 of 400), about 6 s left"), "\(error.text)")
    bar.finish()
  }

  @Test("Without a terminal there is no bar")
  func isOnlyForPeopleWhoWatch() {
    let consoles = [
      console(isTerminal: false), console(quiet: true), console(environment: ["TERM": "dumb"]),
    ]
    for console in consoles {
      let bar = console.progress("Reading", total: 2)
      clock.pass(milliseconds: 2_000)
      bar.advance()
      bar.finish()
    }
    #expect(error.text == "")
  }

  @Test(
    "The bar fits into the terminal's width", arguments: [20, 30, 40, 80, 200])
  func fitsItsLine(_ width: Int) {
    for (done, total) in [(0, 1_000_000), (500_000, 1_000_000), (2, 1), (-1, 5), (7, nil), (7, 0)] {
      let line = ProgressBar.line("Reading", done, total, width: width)
      #expect(displayWidth(line) < width, "\(line)")
    }
  }
}
