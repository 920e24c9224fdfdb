import Synchronization

/// Progress on standard error, only on a terminal, and only after one second.
package final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var drawnAt: UInt64?
  }

  private let label: String
  private let total: Int?
  private let estimates: Bool
  private let console: Console
  private let startedAt: UInt64
  private let isVisible: Bool
  private let state = Mutex(State())

  init(_ label: String, total: Int?, estimates: Bool = false, console: Console) {
    self.label = label
    self.total = total
    self.estimates = estimates
    self.console = console
    startedAt = console.streams.nanoseconds()
    let isDumb = console.environment("TERM") == "dumb"
    isVisible = console.streams.errorIsTerminal && !console.quiet && !isDumb
  }

  /// Cheap enough to call for every event.
  package func advance(by count: Int = 1) {
    update { $0 + count }
  }

  package func advance(to done: Int) {
    update { _ in done }
  }

  /// Removes the bar. The console also does so when the command ends.
  package func finish() {
    if isVisible { console.state.clearBar() }
  }

  private func update(_ change: (Int) -> Int) {
    guard isVisible else { return }
    state.withLock { state in
      state.done = change(state.done)
      let now = console.streams.nanoseconds()
      let isDue = state.drawnAt.map { now >= $0 + 100_000_000 } ?? true
      guard now >= startedAt + 1_000_000_000, isDue else { return }
      state.drawnAt = now
      let left = estimates ? secondsLeft(state.done, after: now - startedAt) : nil
      console.state.drawBar(
        ProgressBar.line(label, state.done, total, secondsLeft: left, width: console.width))
    }
  }

  /// Extrapolated from the progress so far; nil if unknown.
  private func secondsLeft(_ done: Int, after nanoseconds: UInt64) -> Int? {
    guard let total, done > 0, done <= total else { return nil }
    let seconds = Double(nanoseconds) / 1e9 * Double(total - done) / Double(done)
    return seconds < 1e6 ? Int(seconds.rounded(.up)) : nil
  }

  static func line(
    _ label: String, _ done: Int, _ total: Int?, secondsLeft: Int? = nil, width: Int
  ) -> String {
    guard let total, total > 0 else {
      return truncated("\(label) \(NumberText.count(done))", columns: width - 1)
    }
    let share = min(1, Double(max(0, done)) / Double(total))
    let percent = "\(Int(share * 100))%"
    let tail =
      String(repeating: " ", count: 4 - percent.count) + percent
      + " (\(NumberText.count(done)) of \(NumberText.count(total)))"
      + (secondsLeft.map { ", about \(NumberText.count($0)) s left" } ?? "")
    let room = min(40, width - displayWidth(label) - tail.count - 5)
    guard room >= 5 else { return truncated("\(label)\(tail)", columns: width - 1) }
    let filled = Int(share * Double(room))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: room - filled)
    return "\(label) [\(bar)]\(tail)"
  }
}

extension Console {
  /// - Parameters:
  ///   - total: nil if unknown.
  ///   - estimates: whether to show the remaining time.
  package func progress(
    _ label: String, total: Int? = nil, estimates: Bool = false
  ) -> ProgressBar {
    ProgressBar(label, total: total, estimates: estimates, console: self)
  }
}
