import LedgerPlatform

/// A system call that failed, and the reason the system gave.
struct SystemCallFailure: Error, CustomStringConvertible {
  let call: String
  let code: Int32

  /// The failure of the call just made: `errno` is read before anything else can change it.
  static func last(_ call: String) -> SystemCallFailure {
    SystemCallFailure(call: call, code: errno)
  }

  var description: String { "\(call): \(String(cString: strerror(code)))" }
}
