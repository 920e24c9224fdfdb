import LedgerPlatform
import Synchronization

/// The last signal that arrived while signals were held; 0 for none.
private let arrived = Atomic<Int32>(0)

/// While it lives, signals that would end or suspend the process are noted instead.
struct HeldSignals {
  private typealias Handler = @convention(c) (Int32) -> Void

  private static let held = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  private let before: [(signal: Int32, action: sigaction)]

  init() {
    // Set here, so that the handler never has to initialise it.
    arrived.store(0, ordering: .sequentiallyConsistent)
    before = Self.held.map { number in
      var old = sigaction()
      sigaction(number, nil, &old)
      let note: Handler = { arrived.store($0, ordering: .sequentiallyConsistent) }
      signal(number, note)
      return (number, old)
    }
  }

  func release() {
    for (number, action) in before {
      var action = action
      sigaction(number, &action, nil)
    }
  }

  /// The signal that arrived, once.
  static func taken() -> Int32 {
    arrived.exchange(0, ordering: .sequentiallyConsistent)
  }

  /// Lets a noted signal do what it would have done. Threads that run tasks block signals, and
  /// one that stays blocked would leave the person with a program that does not end.
  static func deliver(_ number: Int32) {
    var only = sigset_t()
    var before = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    pthread_sigmask(SIG_UNBLOCK, &only, &before)
    raise(number)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
