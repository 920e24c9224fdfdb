import LedgerSync

/// The tasks of one run: what is on the wire, and alarms.
struct EffectRunner {
  private let mailbox: InputQueue
  private let pause: @Sendable (Duration) async -> Void
  private var tasks: [RequestID: Task<Void, Never>] = [:]
  private var grace: Task<Void, Never>?

  init(_ mailbox: InputQueue, pause: @escaping @Sendable (Duration) async -> Void) {
    self.mailbox = mailbox
    self.pause = pause
  }

  /// A task of its own, so that cancelling a run lets its calls land.
  mutating func send(
    _ request: WireRequest, as ticket: RequestID, over connection: some BackendConnection
  ) {
    tasks[ticket] = Task { [mailbox] in
      let answer = await connection.send(request)
      mailbox.put(.input(.answered(ticket, answer)))
    }
  }

  mutating func wait(_ milliseconds: Int, as ticket: RequestID) {
    tasks[ticket] = Task { [mailbox, pause] in
      await pause(.milliseconds(milliseconds))
      mailbox.put(.input(.elapsed(ticket)))
    }
  }

  mutating func ended(_ ticket: RequestID) { tasks[ticket] = nil }

  mutating func beginGrace(_ duration: Duration) {
    grace = Task { [mailbox] in
      try? await Task.sleep(for: duration)
      mailbox.put(.graceIsOver)
    }
  }

  /// Gives up what is under way. What it was answers nobody.
  func cancel() {
    for task in tasks.values { task.cancel() }
    grace?.cancel()
  }
}
