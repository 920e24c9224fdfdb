package import LedgerPlatform

/// A disk that passes every call on to the system's. A fake implements the calls that it changes.
package protocol SystemDiskWrapper: Disk {}

extension SystemDiskWrapper {
  package var system: SystemDisk { .shared }

  package func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    try system.open(path, flags: flags)
  }

  package func close(_ descriptor: Int32) { system.close(descriptor) }

  package func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try system.status(of: descriptor)
  }

  package func status(of path: String, followsLinks: Bool) throws(SystemError) -> FileStatus {
    try system.status(of: path, followsLinks: followsLinks)
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try system.read(descriptor, into: buffer, at: offset)
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try system.write(descriptor, bytes, at: offset)
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try system.truncate(descriptor, to: size)
  }

  package func synchronizeData(_ descriptor: Int32) throws(SystemError) {
    try system.synchronizeData(descriptor)
  }

  package func synchronize(_ descriptor: Int32) throws(SystemError) {
    try system.synchronize(descriptor)
  }

  package func makeFolder(_ path: String) throws(SystemError) { try system.makeFolder(path) }

  package func rename(_ path: String, to newPath: String) throws(SystemError) {
    try system.rename(path, to: newPath)
  }

  package func remove(_ path: String) throws(SystemError) { try system.remove(path) }

  package func removeFolder(_ path: String) throws(SystemError) { try system.removeFolder(path) }

  package func names(in folder: String) throws(SystemError) -> [String] {
    try system.names(in: folder)
  }

  package func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError) {
    try system.lock(descriptor, operation)
  }

  package func monotonicNanoseconds() -> UInt64 { system.monotonicNanoseconds() }

  package func nap(microseconds: UInt32) { system.nap(microseconds: microseconds) }
}
