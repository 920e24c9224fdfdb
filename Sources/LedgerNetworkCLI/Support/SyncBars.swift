import LedgerCLI
import LedgerKit
import LedgerLog
import Synchronization

/// The bar of whatever a run is doing, on a terminal and after a second.
final class SyncBars: Sendable {
  private struct Shown {
    var stage: SyncProgress.Stage
    var bar: ProgressBar
  }

  private let console: Console
  private let shown = Mutex<Shown?>(nil)

  init(_ console: Console) {
    self.console = console
  }

  func show(_ progress: SyncProgress) {
    shown.withLock { shown in
      if shown?.stage != progress.stage {
        let isCounted = progress.stage == .pushing && progress.total > 0
        shown = Shown(
          stage: progress.stage,
          bar: console.progress(
            progress.stage.label, total: isCounted ? progress.total : nil))
      }
      shown?.bar.advance(to: progress.done)
    }
  }

  func finish() {
    shown.withLock { $0?.bar.finish() }
  }
}

extension SyncProgress.Stage {
  fileprivate var label: String {
    switch self {
    case .settling: "Settling"
    case .pulling: "Pulling"
    case .pushing: "Sending"
    }
  }
}

/// What a watching ledger says: a line for each run that changed something, and each problem once.
final class WatchLog: Sendable {
  /// Why a run did not come through, or what waits for a person after it.
  private struct Trouble: Equatable {
    var stop: SyncReport.Stop?
    var isPullFailed = false
    var needsPerson = false

    init() {}

    init(_ report: SyncReport) {
      stop = report.stop
      isPullFailed = report.pull == .failed
      needsPerson = report.needsPerson
    }
  }

  private let console: Console
  private let state = Mutex((trouble: Trouble(), problem: (any Error)?.none))

  init(_ console: Console) {
    self.console = console
  }

  /// What kept a line from being written, such as a reader that has left.
  var problem: (any Error)? { state.withLock { $0.problem } }

  /// Once a day at most: the log is checked again each day.
  func tell(_ damage: Damage) {
    console.warn(
      "\(damage.description); see what is still whole with 'ledger replay "
        + "--up-to-break', and restore events.jsonl from a copy")
  }

  func tell(_ report: SyncReport) {
    let isNews = state.withLock { state in
      let trouble = Trouble(report)
      defer { state.trouble = trouble }
      return report.hasNews || state.trouble != trouble
    }
    guard isNews, report.stop != .cancelled || report.hasNews else { return }
    do {
      try SyncAnswer(report: report).give(console)
      try console.flush()
    } catch {
      state.withLock { $0.problem = $0.problem ?? error }
    }
  }
}

extension SyncReport {
  fileprivate var hasNews: Bool {
    sent + acknowledged + reconciled + elided + rejected + pulled + deleted + differs + suspected
      > 0
  }
}
