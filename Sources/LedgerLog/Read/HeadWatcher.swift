import LedgerPlatform
import Synchronization

/// Reports when a ledger's `head` may have changed, from file events: inotify on Linux, kqueue on
/// Apple. Changes made by another machine on a network file system are not reported.
///
/// A dedicated thread waits for events, so that the cooperative pool is not blocked. It ends and
/// closes its descriptors soon after ``stop()`` or the watcher's `deinit`.
package final class HeadWatcher: Sendable {
  private let queue: Queue

  private final class Queue: Sendable {
    /// The inotify or kqueue descriptor; `nil` after the thread has closed it.
    let descriptor: Mutex<Int32?>
    let isStopped = Atomic<Bool>(false)

    init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }
  }

  /// - Parameters:
  ///   - onChange: called on the watcher's thread, sometimes without an actual change.
  ///   - onEnd: called once if the watch ends without ``stop()``, such as when the folder is removed.
  /// - Returns: `nil` if the folder is missing or the system's limit is reached.
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

  /// Ends the watch. A callback that has begun may still be running.
  package func stop() {
    guard !queue.isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.descriptor.withLock { descriptor in
      if let descriptor { HeadEvents.interrupt(descriptor) }
    }
  }
}

#if canImport(Darwin)
  /// Events of `head` and its folder: a folder reports changed names, a file changed content.
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

    /// Opens the file of that name, which an erasure replaces.
    private mutating func openHead() {
      if head >= 0 { _ = systemClose(head) }
      head = open(path, O_EVTONLY | O_CLOEXEC | O_NOFOLLOW)
      if head >= 0 {
        _ = Self.add(head, NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME, to: descriptor)
      }
    }

    /// - Returns: whether the event may concern `head`; `nil` at the end.
    mutating func next() -> Bool? {
      var event = kevent()
      while kevent(descriptor, nil, 0, &event, 1, nil) < 0 {
        guard errno == EINTR else { return nil }
      }
      if event.filter == Int16(EVFILT_USER) { return nil }
      let isRemoved = event.fflags & UInt32(NOTE_DELETE | NOTE_RENAME) != 0
      if event.ident == UInt(folder), isRemoved { return nil }
      if event.ident == UInt(folder) || isRemoved { openHead() }
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
  /// Events of the folder's files, filtered by name, so that a replaced `head` is reported as well.
  private struct HeadEvents: Sendable {
    let descriptor: Int32
    /// The first watch of an inotify instance has number 1.
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

    /// - Returns: whether the event may concern `head`; `nil` at the end.
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

    /// Parses the result of one read: events of `wd`, `mask`, `cookie`, name length, and the name,
    /// padded with zeros.
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

    /// The kernel then reports the removed watch, which ends the read.
    static func interrupt(_ descriptor: Int32) {
      _ = inotify_rm_watch(descriptor, folder)
    }
  }
#endif

// Inside the types above, their own methods hide the C function.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
