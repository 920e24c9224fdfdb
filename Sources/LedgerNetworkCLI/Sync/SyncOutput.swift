import LedgerCLI
import LedgerKit
import LedgerLog
import LedgerModel
import Synchronization

/// The progress bar of a run's current stage, on a terminal and after a second.
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

/// The output of `sync --watch`: a line for each run that changed something, and each problem once.
final class WatchLog: Sendable {
  /// What a run left undone.
  private struct Problem: Equatable {
    var stop: SyncReport.Stop?
    var isPullFailed = false
    var needsUser = false

    init() {}

    init(_ report: SyncReport) {
      stop = report.stop
      isPullFailed = report.pull == .failed
      needsUser = report.needsUser
    }
  }

  private let console: Console
  private let state = Mutex((problem: Problem(), writeError: (any Error)?.none))

  init(_ console: Console) {
    self.console = console
  }

  /// Why a line could not be written, such as a closed pipe.
  var writeError: (any Error)? { state.withLock { $0.writeError } }

  /// Called at most once a day, as often as the log is checked.
  func report(_ damage: Damage) {
    let time = TimeText(zone: .current).second(console.now())
    console.warn(
      "\(time) \(damage.description); see what is still whole with 'ledger replay "
        + "--up-to-break', and restore events.jsonl from a copy")
  }

  func report(_ report: SyncReport) {
    let isNews = state.withLock { state in
      let problem = Problem(report)
      defer { state.problem = problem }
      return report.hasNews || state.problem != problem
    }
    guard isNews, report.stop != .cancelled || report.hasNews else { return }
    do {
      try SyncAnswer(report: report, end: console.now()).write(to: console)
      try console.flush()
    } catch {
      state.withLock { $0.writeError = $0.writeError ?? error }
    }
  }
}

extension SyncReport {
  fileprivate var hasNews: Bool {
    sent + acknowledged + reconciled + elided + rejected + pulled + deleted + differing + suspected
      > 0
  }
}
