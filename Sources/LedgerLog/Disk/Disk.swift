#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls that the log makes of the system, one to one: a real edge, so that a simulator can
/// stand in for a whole disk. Interrupted calls and short ones come back as they are; what is done
/// about them is the caller's business, and so is tested too.
package protocol Disk: AnyObject, Sendable {
  /// - Parameter flags: as `open(2)` takes them; what is made is made 0600.
  func open(_ path: String, flags: Int32) throws(SystemError) -> Int32
  func close(_ descriptor: Int32)
  func status(of descriptor: Int32) throws(SystemError) -> FileStatus
  func status(of path: String, followsLinks: Bool) throws(SystemError) -> FileStatus
  /// - Returns: 0 at the file's end.
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError)
  /// The bytes and the size.
  func synchronizeData(_ descriptor: Int32) throws(SystemError)
  /// Everything there is to a file, or the names in a folder.
  func synchronize(_ descriptor: Int32) throws(SystemError)
  /// Makes a folder, 0700.
  func makeFolder(_ path: String) throws(SystemError)
  func rename(_ path: String, to newPath: String) throws(SystemError)
  func remove(_ path: String) throws(SystemError)
  /// Removes an empty folder.
  func removeFolder(_ path: String) throws(SystemError)
  /// What a folder holds, in no order, `.` and `..` left out.
  func names(in folder: String) throws(SystemError) -> [String]
  /// - Parameter operation: as `flock(2)` takes it.
  func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError)

  /// A clock that never steps back, and a nap by it: what waiting for a lock needs.
  func monotonicNanoseconds() -> UInt64
  func nap(microseconds: UInt32)
}

/// What `errno` said.
package struct SystemError: Error, Hashable, Sendable {
  package var number: Int32

  package init(_ number: Int32) { self.number = number }
}

package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable { case file, folder, other }

  package var kind: Kind
  package var size: Int
  package var identity: FileIdentity

  package init(kind: Kind, size: Int, identity: FileIdentity) {
    self.kind = kind
    self.size = size
    self.identity = identity
  }
}

/// Makes a call again for as long as signals interrupt it, and says what it was for when it fails.
func uninterrupted<Result>(
  _ operation: String, _ path: String, _ call: () throws(SystemError) -> Result
) throws(IOFailure) -> Result {
  while true {
    do throws(SystemError) {
      return try call()
    } catch {
      if error.number != EINTR { throw IOFailure(operation, path, errorNumber: error.number) }
    }
  }
}
