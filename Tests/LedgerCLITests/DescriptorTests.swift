import LedgerPlatform
import Testing

@testable import LedgerCLI

@Suite(.serialized, .blocks) struct DescriptorTests {
  func makePipe() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  /// A non-blocking pipe takes part of what it is given and then nothing: all of it must arrive.
  @Test("Short writes are completed")
  func finishesShortWrites() throws {
    let (reader, writer) = try makePipe()
    try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
    let writing = OwnThread {
      try DescriptorSink(writer).write(bytes)
      close(writer)
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 10_000)
    while true {
      let count = read(reader, &buffer, buffer.count)
      if count <= 0 { break }
      received += buffer[..<count]
    }
    try writing.value()
    close(reader)
    #expect(received == bytes)
  }

  @Test("A closed pipe is distinguished from a failed write")
  func tellsAReaderThatLeftFromAFailure() throws {
    signal(SIGPIPE, SIG_IGN)
    let (reader, writer) = try makePipe()
    close(reader)
    #expect(throws: OutputFailure.readerGone) { try DescriptorSink(writer).write([1]) }
    close(writer)
    #expect(throws: OutputFailure.failed(reason: SystemError(EBADF).description)) {
      try DescriptorSink(-1).write([1])
    }
    #if os(Linux)
      let full = open("/dev/full", O_WRONLY)
      #expect(throws: OutputFailure.failed(reason: SystemError(ENOSPC).description)) {
        try DescriptorSink(full).write([1])
      }
      close(full)
    #endif
  }

  @Test("A helper that cannot be run is reported in one sentence")
  func helperThatCannotRunIsOneSentence() throws {
    #expect(
      throws: CommandFailure(
        .failed,
        "the helper 'ledger-x' is missing from /no/such/folder, where 'ledger' is; "
          + "install both programs there")
    ) {
      try HelperProgram.exec(name: "ledger-x", arguments: ["a"], folder: "/no/such/folder")
    }
    #expect(
      throws: CommandFailure(.failed, "cannot run //dev: \(SystemError(EACCES)); check the file")
    ) {
      try HelperProgram.exec(name: "dev", arguments: [], folder: "/")
    }
    #expect(try HelperProgram.folder().hasPrefix("/"))
  }

  @Test("The monotonic clock runs forward")
  func theClockRunsForward() {
    let clock = ConsoleStreams.standard.nanoseconds
    let before = clock()
    #expect(clock() >= before)
  }
}
