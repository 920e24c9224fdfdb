import LedgerModel

/// Where edits stood with the backend over the log's life: a strip for each standing that ever was,
/// named in words and with its own scale, so that nothing hangs on colours.
struct SyncChart {
  struct Strip {
    let name: String
    let meaning: String
    let id: String
    let values: [Int]

    var most: Int { values.max() ?? 0 }
    var now: Int { values.last ?? 0 }
  }

  private static let stripPixels = 40.0
  let history: SyncHistory
  let strips: [Strip]
  /// Names of standings that no edit was ever in, as far as the strips show.
  let never: [String]

  init(_ history: SyncHistory) {
    self.history = history
    func strip(
      _ name: String, _ id: String, _ meaning: String, _ value: (SyncHistory.Standing) -> Int
    ) -> Strip {
      Strip(name: name, meaning: meaning, id: id, values: history.standings.map(value))
    }
    let all = [
      strip("acknowledged", "acknowledged", "the backend has said that it has them") {
        $0.acknowledged
      },
      strip("pending", "pending", "they leave with the next sync") { $0.pending },
      strip("in doubt", "doubt", "sent, and no answer is on record; the next sync finds out") {
        $0.inDoubt
      },
      strip("held", "held", "they wait for another edit") { $0.held },
      strip("rejected", "rejected", "the backend refused them; a correction sends them again") {
        $0.rejected
      },
      strip("in conflict", "conflict", "changed on both sides; a person decides") { $0.conflicts },
    ]
    strips = all.filter { $0.most > 0 }
    never = all.filter { $0.most == 0 }.map(\.name)
  }

  /// The strip as a drawing, with a scale from zero to its own highest value.
  func plot(_ strip: Strip, isLast: Bool) -> Plot {
    var plot = Plot(
      id: "sync-\(strip.id)", title: "Edits \(strip.name)", description: description(strip),
      heightPixels: Self.stripPixels)
    // One tick at a round value, which is as much as a strip has room for.
    let scale = NiceScale.fromZero(to: Double(max(strip.most, 1)), ticks: 1)
    plot.addAxis(scale, title: "")
    let count = Double(max(strip.values.count, 1))
    for (index, value) in strip.values.enumerated() where value > 0 {
      let left = Double(index) / count
      let right = Double(index + 1) / count
      plot.addBar(
        from: left + 0.06 / count, to: right - 0.06 / count,
        top: plot.pixels(up: max(scale.share(Double(value)), 1 / Self.stripPixels)),
        "bar \(strip.id)",
        tip: "\(place(index)): \(FigureText.count(value)) \(strip.name)")
    }
    if isLast { addTicks(to: &plot) }
    return plot
  }

  private func description(_ strip: Strip) -> String {
    "\(FigureText.counted(strip.now, "edit")) \(strip.name) now, at most "
      + "\(FigureText.count(strip.most)) at the end of any span shown."
  }

  private func addTicks(to plot: inout Plot) {
    switch history.axis {
    case .days(let days):
      let first = Int(days.lowerBound.daysSince1970)
      let span = Double(Int(days.upperBound.daysSince1970) - first + 1)
      let room = Plot.leastWidthPixels * 2
      let ticks = DateTicks.ticks(from: days.lowerBound, to: days.upperBound, roomPixels: room)
      plot.addTicks(ticks) { Double(Int($0.date.daysSince1970) - first) / span }
    case .events(let events):
      let scale = NiceScale.fromZero(to: Double(events.upperBound), ticks: 3)
      for tick in scale.ticks where tick >= 1 && Int(tick) <= events.upperBound {
        guard tick == tick.rounded() else { continue }
        plot.addTick(at: tick / Double(events.upperBound), "#\(FigureText.count(Int(tick)))")
      }
    }
  }

  /// Which span a bar stands for.
  private func place(_ index: Int) -> String {
    let share = Double(index + 1) / Double(max(history.standings.count, 1))
    switch history.axis {
    case .days(let days):
      let first = Int(days.lowerBound.daysSince1970)
      let span = Double(Int(days.upperBound.daysSince1970) - first + 1)
      let date = days.lowerBound.adding(days: Int(span * share - 0.5))
      return "up to \(DateText.day(date))"
    case .events(let events):
      return "up to event \(FigureText.count(Int(Double(events.upperBound) * share)))"
    }
  }

  /// What the strips are drawn over.
  var axisSentence: String {
    switch history.axis {
    case .days(let days):
      "Over time, \(DateText.span(days.lowerBound, days.upperBound))."
    case .events(let events):
      "Over the log's \(FigureText.counted(events.upperBound, "event")), since all of them were "
        + "recorded within two days."
    }
  }
}
