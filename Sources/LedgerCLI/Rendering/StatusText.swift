import LedgerLog
import LedgerModel
import LedgerProjections

/// `status` for people.
struct StatusText {
  let status: LedgerStatus
  let zone: LocalZone

  func write(to console: Console) throws(OutputFailure) {
    let times = TimeText(zone: zone)
    var table = Table([.left(""), .left("", shrinks: true)])
    table.add(.init("ledger", .dim), .init(status.directory.path))
    let last = status.lastAt.map { ", the last on \(times.minute($0))" } ?? ""
    table.add(.init("events", .dim), .init(NumberText.count(status.head.seq) + last))
    table.add(.init("entries", .dim), .init(entries))
    table.add(.init("backend", .dim), waiting)
    for item in status.held.prefix(3) { table.add(.init("held", .dim), heldBack(item)) }
    if let toDecide { table.add(.init("to decide", .dim), .init(toDecide, .red)) }
    table.add(.init("last sync", .dim), .init(status.lastSyncAt.map(times.minute) ?? "never"))
    table.add(.init(status.broken == nil ? "verified" : "damaged", .dim), verified(times))
    table.add(.init("account", .dim), .init(account))
    table.add(.init("head", .dim), .init(status.head.hash.description.prefix(16) + "…", .dim))
    try console.write(table)
    console.note(advice, .dim)
  }

  private var entries: String {
    let deleted = status.entries.deleted
    return NumberText.count(status.entries.live)
      + (deleted > 0 ? ", and \(NumberText.count(deleted)) deleted" : "")
  }

  private var waiting: Table.Cell {
    let counts = status.counts
    let parts = [
      (counts.pending, "pending"), (counts.inDoubt, "in doubt"), (counts.held, "held"),
      (counts.rejected, "rejected"), (counts.conflicts, "in conflict"),
    ]
    let present = parts.filter { $0.0 > 0 }.map { "\(NumberText.count($0.0)) \($0.1)" }
    guard !present.isEmpty else { return Table.Cell("nothing to send", .green) }
    let needsPerson = counts.rejected > 0 || counts.conflicts > 0
    return Table.Cell(present.joined(separator: ", "), needsPerson ? .red : .yellow)
  }

  private func heldBack(_ item: Outbox.Item) -> Table.Cell {
    let parts = [item.words, item.cause, item.remedy].compactMap(\.self)
    return Table.Cell(parts.joined(separator: ": "), .yellow)
  }

  private var toDecide: String? {
    var parts: [String] = []
    if status.openConflicts > 0 { parts.append(counted(status.openConflicts, "conflict")) }
    if status.openSuspicions > 0 {
      parts.append(counted(status.openSuspicions, "suspected duplicate"))
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private func verified(_ times: TimeText) -> Table.Cell {
    if let broken = status.broken {
      return Table.Cell(
        "\(broken.problem), found on \(times.minute(broken.at)): ledger doctor", .red)
    }
    guard let verified = status.verified else { return Table.Cell("never: ledger doctor") }
    let seq = verified.position.seq
    let reach = seq == status.head.seq ? "all" : "up to event \(NumberText.count(seq))"
    return Table.Cell("\(reach), on \(times.minute(verified.at))")
  }

  private var account: String {
    guard let account = status.account else { return "not signed in" }
    return "\(account.account) at \(account.origin)"
  }

  /// The next sensible step.
  private var advice: String {
    let counts = status.counts
    if let toDecide { return "\(toDecide): ledger conflicts" }
    if counts.rejected > 0 {
      return "\(counted(counts.rejected, "edit")) rejected: ledger show sync"
    }
    if status.entries.live == 0, status.entries.deleted == 0 {
      return "next: ledger append weight 75.5"
    }
    if counts.pending + counts.inDoubt + counts.held == 0 {
      return "next: ledger append weight 75.5"
    }
    guard status.account == nil else { return "next: ledger sync" }
    return status.belongsToAccount
      ? "signed out; sign in with: ledger login"
      : "look at it: ledger report; to sync it: ledger login, or ledger register"
  }
}
