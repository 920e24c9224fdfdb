#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file operation that the system refused.
public struct IOFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, as a verb: «read», «write», «sync».
  public var operation: String
  /// What it was done to.
  public var path: String
  /// The system's `errno`.
  public var errorNumber: Int32

  /// The failure that the system has just reported in `errno`.
  public init(_ operation: String, _ path: String) {
    self.init(operation, path, errorNumber: errno)
  }

  /// What was tried, to what, and what the system said.
  public init(_ operation: String, _ path: String, errorNumber: Int32) {
    self.operation = operation
    self.path = path
    self.errorNumber = errorNumber
  }

  /// Whether the file or folder is not there.
  public var isMissing: Bool { errorNumber == ENOENT || errorNumber == ENOTDIR }

  /// A folder that is not empty.
  var isOccupied: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }

  public var description: String {
    let reason = strerror(errorNumber).map { String(cString: $0) } ?? "error \(errorNumber)"
    return "cannot \(operation) \(path): \(reason.prefix(1).lowercased() + reason.dropFirst())"
  }
}
