import LedgerLog
import LedgerPlatform
import LedgerTestSupport
import Synchronization

/// An in-memory disk: a power cut drops data that was not synced, and faults are scripted.
final class SimulatedDisk: Disk {
  struct State: Sendable {
    var files: [Int: SimulatedFile] = [1: SimulatedFile(isFolder: true)]
    var names = SimulatedNames(root: "/", inode: 1)
    var open: [Int32: (inode: Int, path: String)] = [:]
    /// Who holds each file's lock, and whether alone.
    var locks: [Int: [Int32: Bool]] = [:]
    var lastInode = 1
    var lastDescriptor: Int32 = 2
    var nanoseconds: UInt64 = 0
    var generator = SplitMix(0)
    var diskFaults: DiskFaults?
    /// What ended the process that was making calls; all its further ones are in vain.
    var end: End?
    var calls = 0
  }

  enum End: Sendable { case killed, powerCut }

  private let state = Mutex(State())

  // MARK: What the simulator does with it

  /// Plans faults for the next calls, or none.
  func plan(_ diskFaults: DiskFaults?, seed: UInt64) {
    state.withLock { state in
      state.diskFaults = diskFaults
      state.generator = SplitMix(seed)
    }
  }

  /// Whether the process died, which it is told about once; after a power cut the machine is back.
  func takeEnd() -> End? {
    state.withLock { state in
      guard let end = state.end else { return nil }
      state.end = nil
      state.diskFaults = nil
      if end == .powerCut { state.losePower() }
      return end
    }
  }

  var hasEnded: Bool { state.withLock { $0.end != nil } }

  func cutPower() { state.withLock { $0.losePower() } }

  func cached(_ path: String) -> [UInt8] {
    state.withLock { state in
      state.names.cached[path].flatMap { state.files[$0]?.cached } ?? []
    }
  }

  func durable(_ path: String) -> [UInt8] {
    state.withLock { state in
      state.names.cached[path].flatMap { state.files[$0]?.durable } ?? []
    }
  }

  /// What a power cut leaves at least under a name that it leaves at least.
  func platter(_ path: String) -> [UInt8] {
    state.withLock { state in
      state.names.kept(path).flatMap { state.files[$0]?.durable } ?? []
    }
  }

  /// Whether anybody ever wrote over a cut of this file that was still to be synced.
  func isWrittenOverCut(_ path: String) -> Bool {
    state.withLock { state in
      state.names.cached[path].flatMap { state.files[$0]?.isWrittenOverCut } ?? false
    }
  }

  /// A person puts back what they have a copy of.
  func restore(_ path: String, _ bytes: [UInt8]) {
    state.withLock { state in
      guard let inode = state.names.cached[path] else { return }
      state.files[inode]?.truncate(to: 0)
      state.files[inode]?.synchronize()
      bytes.withUnsafeBytes { state.files[inode]?.write($0, at: 0) }
      state.files[inode]?.synchronize()
    }
  }

  func flip(bit: Int, of path: String, at offset: Int) {
    state.withLock { state in
      guard let inode = state.names.cached[path] else { return }
      state.files[inode]?.flip(bit: bit, at: offset)
    }
  }

  var calls: Int { state.withLock { $0.calls } }

  // MARK: Disk

  func open(_ path: String, flags: Int32) throws(SystemError) -> Int32 {
    try state.withLock { state throws(SystemError) in
      _ = try state.begin(.open)
      return try state.openFile(path, flags)
    }
  }

  func close(_ descriptor: Int32) { state.withLock { $0.close(descriptor) } }

  func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
    try state.withLock { state throws(SystemError) in
      _ = try state.begin(.status)
      return state.status(of: try state.inode(of: descriptor))
    }
  }

  func status(of path: String, followsLinks: Bool) throws(SystemError) -> FileStatus {
    try state.withLock { state throws(SystemError) in
      _ = try state.begin(.status)
      guard let inode = state.names.cached[path] else { throw SystemError(ENOENT) }
      return state.status(of: inode)
    }
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    // The buffer is not sent anywhere: it is filled outside of the lock.
    let (bytes, share) = try state.withLock { state throws(SystemError) in
      let share = try state.begin(.read)
      let inode = try state.inode(of: descriptor)
      return (state.files[inode]?.cached ?? [], share)
    }
    let there = max(0, min(buffer.count, bytes.count - offset))
    let count = share.part(of: there)
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
    return count
  }

  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let copy = Array(bytes)
    return try state.withLock { state throws(SystemError) in
      try state.write(copy, to: try state.inode(of: descriptor), at: offset)
    }
  }

  func startWriting(_ descriptor: Int32, _ range: Range<Int>) {}

  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let share = try state.begin(.truncate)
      let inode = try state.inode(of: descriptor)
      if share != .nothing { state.files[inode]?.truncate(to: size) }
      try share.finish()
    }
  }

  func synchronizeData(_ descriptor: Int32) throws(SystemError) { try synchronize(descriptor) }

  func synchronize(_ descriptor: Int32) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      try state.synchronize(descriptor)
    }
  }

  func makeFolder(_ path: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let share = try state.begin(.name)
      guard state.names.cached[path] == nil else { throw SystemError(EEXIST) }
      if share != .nothing { _ = state.makeFile(path, isFolder: true) }
      try share.finish()
    }
  }

  func rename(_ path: String, to newPath: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let share = try state.begin(.name)
      guard let inode = state.names.cached[path] else { throw SystemError(ENOENT) }
      if share != .nothing { state.names.rename(path, to: newPath, inode) }
      try share.finish()
    }
  }

  func remove(_ path: String) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      let share = try state.begin(.name)
      guard state.names.cached[path] != nil else { throw SystemError(ENOENT) }
      if share != .nothing { state.names.remove(path) }
      try share.finish()
    }
  }

  func removeFolder(_ path: String) throws(SystemError) {
    guard try names(in: path).isEmpty else { throw SystemError(ENOTEMPTY) }
    try remove(path)
  }

  func names(in folder: String) throws(SystemError) -> [String] {
    try state.withLock { state throws(SystemError) in
      _ = try state.begin(.open)
      guard state.names.cached[folder] != nil else { throw SystemError(ENOENT) }
      let prefix = folder + "/"
      return state.names.cached.keys.filter { $0.hasPrefix(prefix) }
        .map { String($0.dropFirst(prefix.count)) }.filter { !$0.contains("/") }
    }
  }

  func lock(_ descriptor: Int32, _ operation: Int32) throws(SystemError) {
    // Closing the file, which follows, unlocks it here.
    if operation == LOCK_UN { return }
    try state.withLock { state throws(SystemError) in
      _ = try state.begin(.lock)
      try state.lock(descriptor, isExclusive: operation & LOCK_EX != 0)
    }
  }

  func monotonicNanoseconds() -> UInt64 { state.withLock { $0.nanoseconds } }

  func nap(microseconds: UInt32) {
    state.withLock { $0.nanoseconds += UInt64(microseconds) * 1000 }
  }
}
