import LedgerLog
import LedgerTestSupport

/// What goes wrong with a disk, and when.
struct DiskFaults: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    /// The process dies during a call, which has its effect, or a part of it, or none.
    case kill
    /// So does the machine.
    case powerCut
    /// Calls fail: EIO, ENOSPC, EMFILE, whatever each of them can fail with.
    case failure
    /// Only what makes bytes durable fails.
    case failingSync
    /// No byte more fits.
    case full
    /// Signals interrupt calls.
    case interruptions
    /// Reads and writes do a part of what they are asked for.
    case shortCalls
    /// Somebody else holds every lock for a while.
    case crowd

    /// Whether an operation may fail so; what interrupts calls or shortens them may end none.
    func excuses(_ error: LogError) -> Bool {
      switch self {
      case .kill, .powerCut, .failure, .failingSync, .full: true
      case .interruptions, .shortCalls: false
      case .crowd: if case .locked = error { true } else { false }
      }
    }
  }

  var kind: Kind
  /// How many calls of the kind go well before.
  var after: Int
  /// How many calls it happens to.
  var times: Int

  var description: String { "\(kind.rawValue) after \(after) calls, \(times) times" }

  static func any(using generator: inout SplitMix) -> DiskFaults {
    let kind = generator.pick(Kind.allCases)
    // Calls that crashes and failures choose from are some thirty an append; syncs and locks few.
    let after =
      switch kind {
      case .kill, .powerCut, .failure: generator.below(generator.chance(1, of: 3) ? 120 : 30)
      case .failingSync, .crowd: generator.below(3)
      case .full: generator.below(5)
      case .interruptions, .shortCalls: 0
      }
    let times =
      switch kind {
      case .kill, .powerCut: 1
      case .failure, .failingSync, .full: generator.within(1...3)
      case .interruptions, .shortCalls: generator.within(1...40)
      case .crowd: generator.within(1...30)
      }
    return DiskFaults(kind: kind, after: after, times: times)
  }

  /// The calls of ``Disk`` that faults distinguish.
  enum Call: Sendable {
    case open, status, read, write, truncate, sync, name, lock
  }

  func concerns(_ call: Call) -> Bool {
    switch kind {
    case .kill, .powerCut, .failure: true
    case .failingSync: call == .sync
    case .full: call == .write
    case .interruptions: ![.status, .name].contains(call)
    case .shortCalls: call == .read || call == .write
    case .crowd: call == .lock
    }
  }
}
