import Foundation
import LedgerTestSupport

/// The built `ledger`, run as a person's shell would run it.
struct Executable: Sendable {
  let path: String

  static let ledger = Executable(path: folder.appending(path: "ledger").path)

  /// Programs are built into the folder that the test bundle lies in.
  static let folder: URL = {
    let words = CommandLine.arguments + [Bundle.main.bundlePath]
    let bundle = words.first { $0.contains(".xctest") } ?? words[0]
    var url = URL(filePath: bundle).resolvingSymlinksInPath()
    while url.path.contains(".xctest") { url.deleteLastPathComponent() }
    return url
  }()

  struct Result: Sendable {
    var code: Int32
    var output: String
    var error: String
  }

  /// A run that has begun. Streams go through files, so that no pipe can fill and stall it.
  struct Run {
    fileprivate let process: RunningProgram
    fileprivate let folder: TemporaryFolder

    func wait() throws -> Result {
      let code = process.wait()
      return Result(
        code: code,
        output: String(decoding: try folder.bytes("output"), as: UTF8.self),
        error: String(decoding: try folder.bytes("error"), as: UTF8.self))
    }

    /// What it has said so far.
    func output() throws -> String { String(decoding: try folder.bytes("output"), as: UTF8.self) }

    func error() throws -> String { String(decoding: try folder.bytes("error"), as: UTF8.self) }

    var isRunning: Bool { process.isRunning }

    var identifier: Int32 { process.identifier }

    /// Ends it as the system does when it has no memory left: nothing is tidied up.
    func kill() { process.send(SIGKILL) }

    /// Asks it to end.
    func interrupt() { process.send(SIGINT) }

    func terminate() { process.send(SIGTERM) }

    func send(_ signal: Int32) { process.send(signal) }
  }

  /// The options of sanitizers, and what Tests/Moments/run sets so that the programs have the moment of
  /// the tests.
  private static let inherited = ProcessInfo.processInfo.environment.filter {
    ["ASAN_OPTIONS", "TSAN_OPTIONS", "LD_PRELOAD", "MOMENT_OFFSET_SECONDS"]
      .contains($0.key)
  }

  /// Nothing else of the tester's environment reaches the program.
  func start(
    _ arguments: [String], environment: [String: String] = [:], input: Data = Data(),
    in directory: String? = nil
  ) throws -> Run {
    let folder = try TemporaryFolder()
    for name in ["output", "error"] { try folder.write(Data(), to: name) }
    try folder.write(input, to: "input")
    let process = try RunningProgram(
      path, arguments,
      environment: Self.inherited.merging(["TZ": "UTC"]) { $1 }.merging(environment) { $1 },
      in: directory ?? folder.path, input: folder.url("input").path,
      output: folder.url("output").path, error: folder.url("error").path)
    return Run(process: process, folder: folder)
  }

  func run(
    _ arguments: [String], environment: [String: String] = [:], input: String = "",
    in directory: String? = nil
  ) throws -> Result {
    try start(arguments, environment: environment, input: Data(input.utf8), in: directory).wait()
  }
}

extension TemporaryFolder {
  func url(_ name: String) -> URL { URL(filePath: path).appending(path: name) }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

  func write(_ data: Data, to name: String) throws { try data.write(to: url(name)) }

  /// Writes a program in a child process: the children that other tests start meanwhile would inherit
  /// a file that is open for writing here, which the system does not execute.
  func writeProgram(_ text: String, to name: String) throws {
    let result = try Executable(path: "/bin/sh").run(
      ["-c", #"cat > "$1" && chmod 755 "$1""#, "sh", url(name).path], input: text)
    guard result.code == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
