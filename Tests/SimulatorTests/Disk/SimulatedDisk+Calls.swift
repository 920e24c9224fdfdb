import LedgerLog
import LedgerPlatform

/// How much of a call comes about.
enum Share: Equatable {
  case all
  /// So many bytes of a read or a write, which succeeds by that.
  case bytes(Int)
  /// Nobody will hear of it: the process dies in it.
  case nothing, allThenEnd

  func part(of count: Int) -> Int {
    switch self {
    case .all, .allThenEnd: count
    case .bytes(let most): min(count, most)
    case .nothing: 0
    }
  }

  func finish() throws(SystemError) {
    switch self {
    case .all, .bytes: return
    case .nothing, .allThenEnd: throw SystemError(EIO)
    }
  }
}

extension SimulatedDisk.State {
  /// Counts a call, and fails it if a fault is due.
  mutating func begin(_ call: DiskFaults.Call) throws(SystemError) -> Share {
    calls += 1
    guard end == nil else { throw SystemError(EIO) }
    guard var diskFaults, diskFaults.concerns(call) else { return .all }
    guard diskFaults.after == 0 else {
      diskFaults.after -= 1
      self.diskFaults = diskFaults
      return .all
    }
    diskFaults.times -= 1
    self.diskFaults = diskFaults.times > 0 ? diskFaults : nil
    switch diskFaults.kind {
    case .kill, .powerCut:
      end = diskFaults.kind == .kill ? .killed : .powerCut
      return generator.chance(1, of: 2) ? .nothing : .allThenEnd
    case .failure, .failingSync, .full: throw SystemError(errorNumber(of: call, diskFaults.kind))
    case .interruptions: throw SystemError(EINTR)
    case .shortCalls: return .bytes(generator.within(1...300))
    case .crowd: throw SystemError(EWOULDBLOCK)
    }
  }

  private mutating func errorNumber(
    of call: DiskFaults.Call, _ kind: DiskFaults.Kind
  ) -> Int32 {
    switch call {
    case .open: generator.pick([EMFILE, EIO, EACCES])
    case .write: kind == .full ? ENOSPC : generator.pick([ENOSPC, EIO, EDQUOT])
    case .name: generator.pick([ENOSPC, EIO])
    case .lock: ENOLCK
    case .status, .read, .truncate, .sync: EIO
    }
  }

  // MARK: Files

  mutating func openFile(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    var inode = names.cached[path]
    if let found = inode {
      guard flags & O_EXCL == 0 else { throw SystemError(EEXIST) }
      let isFolder = files[found]?.isFolder == true
      if flags & O_DIRECTORY != 0, !isFolder { throw SystemError(ENOTDIR) }
    } else if flags & O_CREAT != 0, names.cached[SimulatedNames.folder(of: path)] != nil {
      inode = makeFile(path, isFolder: false)
    }
    guard let inode else { throw SystemError(ENOENT) }
    lastDescriptor += 1
    open[lastDescriptor] = (inode, path)
    return lastDescriptor
  }

  mutating func makeFile(_ path: String, isFolder: Bool) -> Int {
    lastInode += 1
    files[lastInode] = SimulatedFile(isFolder: isFolder)
    names.make(path, lastInode)
    return lastInode
  }

  mutating func close(_ descriptor: Int32) {
    guard let (inode, _) = open.removeValue(forKey: descriptor) else { return }
    locks[inode]?[descriptor] = nil
  }

  func inode(of descriptor: Int32) throws(SystemError) -> Int {
    guard let (inode, _) = open[descriptor] else { throw SystemError(EBADF) }
    return inode
  }

  func status(of inode: Int) -> FileStatus {
    let file = files[inode]
    return FileStatus(
      kind: file?.isFolder == true ? .folder : .file, size: file?.cached.count ?? 0,
      identity: FileIdentity(device: 1, inode: UInt64(inode)))
  }

  /// A write that fails or dies has put down the first part of its bytes; but what lies within one
  /// sector goes down as a whole or not at all.
  mutating func write(
    _ bytes: [UInt8], to inode: Int, at offset: Int
  ) throws(SystemError) -> Int {
    let sector = SimulatedFile.sectorBytes
    let isWhole = offset / sector == (offset + max(bytes.count, 1) - 1) / sector
    let share: Share
    do throws(SystemError) {
      share = try begin(.write)
    } catch {
      if end == nil, error.number != EINTR, !isWhole {
        put(bytes[..<generator.below(bytes.count)], in: inode, at: offset)
      }
      throw error
    }
    var count = isWhole ? bytes.count : share.part(of: bytes.count)
    if share == .nothing { count = isWhole ? 0 : generator.below(bytes.count) }
    put(bytes[..<count], in: inode, at: offset)
    try share.finish()
    // The system writes back when it likes.
    if generator.chance(1, of: 16) { files[inode]?.writeBack(using: &generator) }
    return count
  }

  private mutating func put(_ bytes: ArraySlice<UInt8>, in inode: Int, at offset: Int) {
    bytes.withUnsafeBytes { files[inode]?.write($0, at: offset) }
  }

  mutating func synchronize(_ descriptor: Int32) throws(SystemError) {
    guard let (inode, path) = open[descriptor] else { throw SystemError(EBADF) }
    let share: Share
    do throws(SystemError) {
      share = try begin(.sync)
    } catch {
      if end == nil, error.number != EINTR {
        files[inode]?.failSynchronizing(using: &generator)
      }
      throw error
    }
    guard share != .nothing else { return try share.finish() }
    if files[inode]?.isFolder == true {
      names.synchronize(folder: path)
    } else {
      files[inode]?.synchronize()
    }
    try share.finish()
  }

  // MARK: Locks

  mutating func lock(_ descriptor: Int32, isExclusive: Bool) throws(SystemError) {
    let inode = try inode(of: descriptor)
    let others = (locks[inode] ?? [:]).filter { $0.key != descriptor }
    guard others.isEmpty || !isExclusive && !others.values.contains(true) else {
      throw SystemError(EWOULDBLOCK)
    }
    locks[inode, default: [:]][descriptor] = isExclusive
  }

  // MARK: Power

  mutating func losePower() {
    names.losePower(using: &generator)
    for inode in files.keys.sorted() { files[inode]?.losePower(using: &generator) }
    let named = Set(names.cached.values)
    files = files.filter { named.contains($0.key) }
    open = [:]
    locks = [:]
  }
}
