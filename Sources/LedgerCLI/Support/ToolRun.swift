import LedgerPlatform

/// A finished run of another program. Its streams are files, so that neither side waits for the
/// other.
struct ToolRun {
  /// ``ChildProcess/signalledStatus`` for a program that a signal ended.
  let exitCode: Int32
  let output: [UInt8]
  /// Standard error without the last line feed.
  let error: String

  /// Runs a program from PATH to its end.
  ///
  /// - Parameter why: what needs the program, for the error if it is not installed.
  init(
    _ program: String, _ arguments: [String], input: [UInt8], why: String
  ) throws(CommandFailure) {
    let files: [OpenFile]
    do throws(IOFailure) {
      files = [try .makeTemporary(), try .makeTemporary(), try .makeTemporary()]
      try files[0].write(input, at: 0)
    } catch {
      throw CommandFailure(
        .failed,
        "cannot write a temporary file for \(program): \(systemError(error.errorNumber))")
    }
    do throws(SystemError) {
      exitCode = try ChildProcess(
        program, arguments, input: .descriptor(files[0].descriptor),
        output: .descriptor(files[1].descriptor), error: .descriptor(files[2].descriptor)
      ).wait()
    } catch {
      throw CommandFailure(
        .failed,
        error.number == ENOENT
          ? "\(why) needs the program \(program), which is not installed"
          : "cannot run \(program): \(systemError(error.number))")
    }
    output = Self.content(of: files[1])
    let message = Self.content(of: files[2])
    error = String(
      decoding: message.last == 0x0A ? message.dropLast() : message[...], as: UTF8.self)
  }

  private static func content(of file: OpenFile) -> [UInt8] {
    guard let size = try? file.size() else { return [] }
    return (try? file.bytes(in: 0..<size)) ?? []
  }
}
