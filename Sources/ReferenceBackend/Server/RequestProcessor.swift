import Synchronization

/// The world and the journal, each behind its lock: what a request does, whoever delivers it and
/// however often.
final class RequestProcessor: Sendable {
  private let world: Mutex<World>
  private let journal = Mutex(Journal())

  init(_ configuration: BackendConfiguration) {
    world = Mutex(World(configuration))
  }

  var entries: [JournalEntry] { journal.withLock { $0.entries } }

  func entry(_ index: Journal.Index) -> JournalEntry { journal.withLock { $0[index] } }

  func begin(_ request: HTTPRequest) -> Journal.Index {
    journal.withLock { $0.begin(request) }
  }

  func finish(_ index: Journal.Index, status: Int?) -> JournalEntry {
    journal.withLock { $0.finish(index, status: status) }
  }

  /// Carries the request out, twice with nothing in between if the fault says so; the reply is the
  /// first one's.
  @discardableResult
  func process(
    _ request: HTTPRequest, _ index: Journal.Index, fault: Fault.Kind? = nil
  ) -> Reply {
    let (first, others) = world.withLock { world in
      let first = world.answer(request, meeting: fault)
      return (first, fault == .duplicate ? [world.answer(request)] : [])
    }
    journal.withLock { journal in
      for reply in [first] + others { journal.add(outcome: reply.status, to: index) }
    }
    return first
  }

  func isRevoked(sessionOf refreshToken: String) -> Bool {
    world.withLock { $0.sessions.isRevoked(sessionOf: refreshToken) }
  }

  func forget(_ lost: Fault.Loss) { world.withLock { $0.lose(lost) } }

  func resetSessions() { world.withLock { $0.sessions.revokeAll() } }

  /// An account's rows, newest first; empty when there is no such account.
  func rows(of email: String) -> [ProgressRow] {
    world.withLock { world in
      world.userOfEmail[email.lowercased()].map { world.progress.rows(of: $0) } ?? []
    }
  }
}
