import Synchronization

/// Shows a person that work goes on: on standard error, only on a terminal, and only once the
/// work has taken a second.
package final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var drawnAt: UInt64?
  }

  private let label: String
  private let total: Int?
  private let console: Console
  private let startedAt: UInt64
  private let isVisible: Bool
  private let state = Mutex(State())

  init(_ label: String, total: Int?, console: Console) {
    self.label = label
    self.total = total
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

  /// Takes the bar away. A console does it too when its command ends.
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
      console.state.drawBar(ProgressBar.line(label, state.done, total, width: console.width))
    }
  }

  static func line(_ label: String, _ done: Int, _ total: Int?, width: Int) -> String {
    guard let total, total > 0 else {
      return truncated("\(label) \(NumberText.count(done))", columns: width - 1)
    }
    let share = min(1, Double(max(0, done)) / Double(total))
    let percent = "\(Int(share * 100))%"
    let tail =
      String(repeating: " ", count: 4 - percent.count) + percent
      + " (\(NumberText.count(done)) of \(NumberText.count(total)))"
    let room = min(40, width - displayWidth(label) - tail.count - 5)
    guard room >= 5 else { return truncated("\(label)\(tail)", columns: width - 1) }
    let filled = Int(share * Double(room))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: room - filled)
    return "\(label) [\(bar)]\(tail)"
  }
}

extension Console {
  /// `total` nil when nobody knows how much there is.
  package func progress(_ label: String, total: Int? = nil) -> ProgressBar {
    ProgressBar(label, total: total, console: self)
  }
}
