import LedgerCLI
import LedgerPlatform

/// Where the demo's ledger lies: a new temporary folder, which stays so that one can look.
enum DemoFolder {
  static func make(_ console: Console) throws(CommandFailure) -> String {
    if let wished = console.environment("LEDGER_DEMO_DIR"), !wished.isEmpty {
      guard mkdir(wished, 0o700) == 0 || errno == EEXIST else { throw failure(wished) }
      return wished
    }
    let temporary = console.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array((LedgerLocation.joined(temporary, "ledger-demo-XXXXXX")).utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw failure(temporary) }
    return made
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(
      .failed, "cannot make a folder at \(path): \(String(cString: strerror(errno)))")
  }
}
