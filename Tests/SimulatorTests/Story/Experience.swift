import LedgerLog
import LedgerPlatform

/// What has happened in a story, and how often.
struct Experience: Equatable, Sendable {
  private(set) var counts: [String: Int] = [:]

  mutating func note(_ what: String, times: Int = 1) { counts[what, default: 0] += times }

  mutating func note(_ error: LogError) {
    switch error {
    case .io(let failure): note("cannot \(failure.operation)")
    case .locked: note("locked")
    case .notKept: note("not kept")
    case .unsettled: note("unsettled")
    case .poisoned: note("poisoned")
    case .noLedger, .readOnly, .exists, .notALedgerFile, .damaged, .lineTooLong, .unwritable,
      .noSuchEvent:
      note("refused")
    }
  }

  mutating func note(_ repair: LogRepair) {
    switch repair {
    case .headWasMissing: note("head was missing")
    case .adopted: note("adopted")
    case .quarantined: note("quarantined")
    }
  }

  mutating func add(_ other: Experience) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }
}
