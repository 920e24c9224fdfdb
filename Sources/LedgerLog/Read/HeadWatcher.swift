import LedgerPlatform
import Synchronization

/// Reports when a ledger's `head` may have been rewritten, by the system's own file events: inotify
/// on Linux, kqueue on Apple.
///
/// One thread waits for the events, so that none of the cooperative pool is blocked. It ends, and its
/// descriptors are closed, soon after ``stop()`` or with the watcher. Changes made by another machine
/// on a network file system are not reported.
package final class HeadWatcher: Sendable {
  private let queue: Queue

  /// What the watcher shares with its thread.
  private final class Queue: Sendable {
    /// The inotify or kqueue descriptor; `nil` once the thread has closed it.
    let descriptor: Mutex<Int32?>
    let isStopped = Atomic<Bool>(false)

    init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }
  }

  /// - Parameters:
  ///   - onChange: called on the watcher's thread, also for a change that proves to be none.
  ///   - onEnd: called once when the watch ends without ``stop()``, such as when the folder is
  ///     removed.
  /// - Returns: `nil` where the system gives no watch: the folder is missing, or a limit is reached.
  package init?(
    _ directory: LedgerDirectory, onChange: @escaping @Sendable () -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) {
    guard let events = HeadEvents(directory) else { return nil }
    let queue = Queue(events.descriptor)
    self.queue = queue
    let isStarted = Threads.detach {
      var events = events
      while !queue.isStopped.load(ordering: .acquiring), let isOfHead = events.next() {
        if isOfHead { onChange() }
      }
      queue.descriptor.withLock { descriptor in
        events.close()
        descriptor = nil
      }
      if !queue.isStopped.load(ordering: .acquiring) { onEnd() }
    }
    guard isStarted else {
      events.close()
      return nil
    }
  }

  deinit { stop() }

  /// Ends the watch. Calls that have begun may still go on.
  package func stop() {
    guard !queue.isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.descriptor.withLock { descriptor in
      if let descriptor { HeadEvents.interrupt(descriptor) }
    }
  }
}

#if canImport(Darwin)
  /// Events of `head` and of its folder: a folder reports which names it holds, a file its content.
  private struct HeadEvents: Sendable {
    let descriptor: Int32
    private let path: String
    private let folder: Int32
    private var head: Int32 = -1
    private static let interruption: UInt = 1

    init?(_ directory: LedgerDirectory) {
      path = directory.head
      descriptor = kqueue()
      guard descriptor >= 0 else { return nil }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      folder = open(directory.path, O_EVTONLY | O_CLOEXEC)
      guard folder >= 0, Self.add(folder, NOTE_WRITE | NOTE_DELETE | NOTE_RENAME, to: descriptor),
        Self.change(Self.interruption, EVFILT_USER, EV_ADD | EV_CLEAR, 0, in: descriptor)
      else {
        close()
        return nil
      }
      openHead()
    }

    /// The file that has the name now; another one after an erasure.
    private mutating func openHead() {
      if head >= 0 { _ = systemClose(head) }
      head = open(path, O_EVTONLY | O_CLOEXEC | O_NOFOLLOW)
      if head >= 0 {
        _ = Self.add(head, NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME, to: descriptor)
      }
    }

    /// - Returns: whether it is about `head`; `nil` at the end.
    mutating func next() -> Bool? {
      var event = kevent()
      while kevent(descriptor, nil, 0, &event, 1, nil) < 0 {
        guard errno == EINTR else { return nil }
      }
      if event.filter == Int16(EVFILT_USER) { return nil }
      let isGone = event.fflags & UInt32(NOTE_DELETE | NOTE_RENAME) != 0
      if event.ident == UInt(folder), isGone { return nil }
      if event.ident == UInt(folder) || isGone { openHead() }
      return true
    }

    func close() {
      for file in [head, folder, descriptor] where file >= 0 { _ = systemClose(file) }
    }

    static func interrupt(_ descriptor: Int32) {
      _ = change(interruption, EVFILT_USER, 0, UInt32(NOTE_TRIGGER), in: descriptor)
    }

    private static func add(_ file: Int32, _ notes: Int32, to descriptor: Int32) -> Bool {
      change(UInt(file), EVFILT_VNODE, EV_ADD | EV_CLEAR, UInt32(notes), in: descriptor)
    }

    private static func change(
      _ identifier: UInt, _ filter: Int32, _ flags: Int32, _ notes: UInt32, in descriptor: Int32
    ) -> Bool {
      var change = kevent(
        ident: identifier, filter: Int16(filter), flags: UInt16(flags), fflags: notes, data: 0,
        udata: nil)
      return kevent(descriptor, &change, 1, nil, 0, nil) >= 0
    }
  }
#else
  /// Events of the folder's files, told apart by name: so a new `head` in the place of another is seen
  /// as well.
  private struct HeadEvents: Sendable {
    let descriptor: Int32
    /// An empty kernel queue gives numbers from 1 on.
    private static let folder: Int32 = 1
    /// Room for many events, each of 16 bytes and a name of at most 256.
    private static let bufferBytes = 4096
    private static let headName = Array("head".utf8)

    init?(_ directory: LedgerDirectory) {
      // The flags of inotify_init1 are those of open.
      descriptor = inotify_init1(O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let kinds = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVE_SELF)
      guard
        inotify_add_watch(descriptor, directory.path, kinds | UInt32(IN_ONLYDIR)) == Self.folder
      else {
        close()
        return nil
      }
    }

    /// - Returns: whether it is about `head`; `nil` at the end.
    mutating func next() -> Bool? {
      withUnsafeTemporaryAllocation(byteCount: Self.bufferBytes, alignment: 8) { buffer -> Bool? in
        var count = read(descriptor, buffer.baseAddress, buffer.count)
        while count < 0, errno == EINTR {
          count = read(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count > 0 else { return nil }
        return Self.isOfHead(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }

    /// Looks through what one read gave: events of `wd`, `mask`, `cookie`, the length of the name and
    /// the name, padded with zeros.
    private static func isOfHead(_ events: UnsafeRawBufferPointer) -> Bool? {
      var isOfHead = false
      var offset = 0
      while offset + 16 <= events.count {
        let mask = events.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        let length = Int(events.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        if mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0 { return nil }
        let padded = events[(offset + 16)..<min(events.count, offset + 16 + length)]
        let name = padded.prefix { $0 != 0 }
        if mask & UInt32(IN_Q_OVERFLOW) != 0 || name.elementsEqual(headName) {
          isOfHead = true
        }
        offset += 16 + length
      }
      return isOfHead
    }

    func close() { _ = systemClose(descriptor) }

    /// The kernel then reports that the watch is gone, which ends the read.
    static func interrupt(_ descriptor: Int32) {
      _ = inotify_rm_watch(descriptor, folder)
    }
  }
#endif

// Inside a type its own methods hide the C library's functions of the same names.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
