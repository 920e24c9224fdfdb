#if !canImport(Darwin)
  import LedgerPlatform
  import LedgerSync
  import Synchronization

  /// Runs requests in libcurl, all on one thread, which sleeps while they wait for their peers.
  final class CurlClient: Sendable {
    private enum Command {
      case start(HTTPMessage, Exchange)
      case drop(Exchange)
      case close
    }

    private struct State {
      var commands: [Command] = []
      /// Set while the thread runs.
      var multi: MultiHandle?
    }

    private let state = Mutex(State())

    /// Ends the thread. Call it last.
    func close() { add(.close) }

    /// Runs a request until its exchange has ended, by this or from outside.
    func run(_ message: HTTPMessage, as exchange: Exchange) async -> WireAnswer {
      guard let library = CurlLibrary.shared else {
        return .notSent(reason: "libcurl.so.4, version 7.68 or later, cannot be loaded")
      }
      guard startThread(library) else {
        return .notSent(reason: "the system has no thread for it")
      }
      add(.start(message, exchange))
      let answer = await exchange.answer()
      // Only an exchange that was ended from outside still has a transfer.
      if answer.status == nil { add(.drop(exchange)) }
      return answer
    }

    /// - Returns: whether the thread runs.
    private func startThread(_ library: CurlLibrary) -> Bool {
      state.withLock { state in
        guard state.multi == nil else { return true }
        guard let multi = MultiHandle(library) else { return false }
        guard Threads.detach({ self.loop(multi) }) else {
          multi.close()
          return false
        }
        state.multi = multi
        return true
      }
    }

    /// Wakes the thread inside the lock, so that it cannot take `close` and free the handle before.
    private func add(_ command: Command) {
      state.withLock { state in
        guard let multi = state.multi else { return }
        state.commands.append(command)
        multi.wake()
      }
    }

    private func takeCommands() -> [Command] {
      state.withLock { state in
        defer { state.commands = [] }
        return state.commands
      }
    }

    private func loop(_ multi: MultiHandle) {
      Self.blockSignals()
      var transfers = CurlTransfers(multi)
      while true {
        for command in takeCommands() {
          switch command {
          case .start(let message, let exchange): transfers.start(message, as: exchange)
          case .drop(let exchange): transfers.drop(exchange)
          case .close: return transfers.close()
          }
        }
        transfers.perform()
        multi.wait()
      }
    }

    /// Leaves signals to the program's own threads; TLS may cause SIGPIPE here.
    private static func blockSignals() {
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
    }
  }

  /// A handle of libcurl-multi(3).
  ///
  /// `@unchecked`: ``wake()`` may be called on any thread (curl_multi_wakeup(3)); the client's own
  /// thread alone calls the rest.
  private struct MultiHandle: @unchecked Sendable {
    let library: CurlLibrary
    private let raw: CurlLibrary.Handle

    init?(_ library: CurlLibrary) {
      guard let raw = library.multiInit() else { return nil }
      (self.library, self.raw) = (library, raw)
    }

    func wake() { _ = library.multiWakeup(raw) }

    func close() { _ = library.multiCleanup(raw) }

    /// - Returns: whether it was added.
    func add(_ transfer: CurlTransfer) -> Bool { library.multiAdd(raw, transfer.handle) == 0 }

    func remove(_ transfer: CurlTransfer) { _ = library.multiRemove(raw, transfer.handle) }

    /// Sends and receives what can be sent and received without waiting.
    func perform() {
      var running: Int32 = 0
      _ = library.multiPerform(raw, &running)
    }

    /// Waits for a socket, a time limit of libcurl's, or ``wake()``.
    func wait() { _ = library.multiPoll(raw, nil, 0, Self.longestWaitMilliseconds, nil) }

    private static let longestWaitMilliseconds: Int32 = 3_600_000

    /// A transfer that has ended since the last call.
    func nextEnded() -> (handle: CurlLibrary.Handle, result: Int32)? {
      library.nextEnded(in: raw)
    }
  }

  /// The transfers of a client, on its thread.
  private struct CurlTransfers {
    private let multi: MultiHandle
    private var running: [CurlLibrary.Handle: CurlTransfer] = [:]

    init(_ multi: MultiHandle) {
      self.multi = multi
    }

    mutating func start(_ message: HTTPMessage, as exchange: Exchange) {
      guard let transfer = CurlTransfer(message, as: exchange, in: multi.library),
        multi.add(transfer)
      else { return exchange.end(.notSent(reason: "the system has no memory for it")) }
      running[transfer.handle] = transfer
    }

    /// Closes the connection of an exchange that has not ended here.
    mutating func drop(_ exchange: Exchange) {
      if let (handle, _) = running.first(where: { $0.value.exchange === exchange }) {
        remove(handle)
      }
    }

    mutating func perform() {
      multi.perform()
      while let (handle, result) = multi.nextEnded() {
        running[handle]?.end(result)
        remove(handle)
      }
    }

    private mutating func remove(_ handle: CurlLibrary.Handle) {
      if let transfer = running.removeValue(forKey: handle) { multi.remove(transfer) }
    }

    mutating func close() {
      for handle in running.keys { remove(handle) }
      multi.close()
    }
  }
#endif
