public import LedgerModel

extension LogView {
  /// Which of these ids the log has, and where: one pass over the lines, whose `data` is passed by.
  public func seqs(of ids: Set<EventID>) throws(LogError) -> [EventID: Seq] {
    guard !ids.isEmpty else { return [:] }
    var found: [EventID: Seq] = [:]
    var scan = EventScan(checks: .form)
    try forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (_, envelope) throws(LineFault) in
        let id = EventID(envelope.id)
        if ids.contains(id) { found[id] = Seq(envelope.seq) }
      }
    }
    return found
  }

  /// The largest seq whose `at` is not after a moment; `nil` when there is none. Clocks step back,
  /// so every line is looked at.
  ///
  /// - Parameter upToBreak: whether damage ends the search instead of failing it.
  public func lastSeq(
    notAfter moment: Timestamp, upToBreak: Bool = false
  ) throws(LogError) -> Seq? {
    var last: Seq?
    var scan = EventScan(checks: .form)
    do throws(LogError) {
      try forEachWindow { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          if envelope.milliseconds(in: window) <= moment.millisecondsSince1970 {
            last = Seq(envelope.seq)
          }
        }
      }
    } catch {
      guard upToBreak, case .damaged = error else { throw error }
    }
    return last
  }
}
