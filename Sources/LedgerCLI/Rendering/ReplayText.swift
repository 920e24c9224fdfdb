import LedgerLog
import LedgerModel
import LedgerProjections

/// `replay` for people.
struct ReplayText {
  let report: ReplayReport
  let zone: LocalZone

  func write(to console: Console) throws(OutputFailure) {
    var table = Table([.left(""), .right(""), .left("", shrinks: true)])
    for (type, count) in report.state.tally.byType {
      table.add(.init(""), .init(NumberText.count(count)), .init(type))
    }
    try console.line(headline)
    try console.write(table)
    try console.write(facts)
  }

  private var headline: String {
    let times = TimeText(zone: zone)
    let tally = report.state.tally
    let span = zip(tally.firstAt, tally.lastAt).map {
      ", \(times.minute($0)) to \(times.minute($1))"
    }
    return counted(report.events, "event") + (span ?? "")
  }

  private var facts: Table {
    let entries = report.views.entries
    var table = Table([.left(""), .left("")])
    table.add(
      .init("entries", .dim),
      .init(
        "\(NumberText.count(entries.live)) live (\(NumberText.count(entries.pending)) pending, "
          + "\(NumberText.count(entries.synced)) synced, \(NumberText.count(entries.failed)) failed)"
          + ", \(NumberText.count(entries.deleted)) deleted"))
    table.add(.init("days", .dim), .init(counted(report.views.days.count, "group")))
    if report.state.tally.erased > 0 {
      table.add(.init("erased", .dim), .init(counted(report.state.tally.erased, "event")))
    }
    table.add(
      .init("chain", .dim),
      report.isVerified ? .init("checks out", .green) : .init("not checked", .yellow))
    table.add(.init("head", .dim), .init(report.state.position.hash.description, .dim))
    table.add(.init("took", .dim), .init(duration))
    return table
  }

  private var duration: String {
    let rate = NumberText.count(Int(report.eventsPerSecond))
    return "\(NumberText.decimal(report.seconds, decimals: 3)) s, \(rate) events a second"
  }
}

private func zip<First, Second>(_ first: First?, _ second: Second?) -> (First, Second)? {
  guard let first, let second else { return nil }
  return (first, second)
}
