#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One open file as the log needs it: a real edge, so that tests can put a failing disk here.
///
/// Every write is complete or an error; interrupted and short ones are finished inside.
public protocol LogFile: AnyObject, Sendable {
  var path: String { get }
  func size() throws(IOFailure) -> Int
  /// Device and inode: whether a path still names this file.
  func identity() throws(IOFailure) -> FileIdentity
  /// Reads at most `buffer.count` bytes from `offset`; fewer only at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(IOFailure) -> Int
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(IOFailure)
  func truncate(to size: Int) throws(IOFailure)
  /// Returns only when the bytes survive a power cut, as far as the system tells the truth.
  func synchronize() throws(IOFailure)
}

public struct FileIdentity: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

extension LogFile {
  func write(_ bytes: [UInt8], at offset: Int) throws(IOFailure) {
    try bytes.withUnsafeBufferPointer { buffer throws(IOFailure) in
      try write(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  /// The bytes of a range, fewer at the file's end.
  func bytes(in range: Range<Int>) throws(IOFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(IOFailure) in
      try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// All bytes of a range that the file is long enough for; fewer are an error, never an end.
  func wholeRange(_ range: Range<Int>) throws(IOFailure) -> [UInt8] {
    let bytes = try bytes(in: range)
    guard bytes.count == range.count else { throw IOFailure("read", path, errorNumber: EIO) }
    return bytes
  }
}
