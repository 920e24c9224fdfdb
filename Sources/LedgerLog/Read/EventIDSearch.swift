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

  /// The largest seq whose `at` is not after a moment; `nil` when there is none.
  ///
  /// Clocks step back, so no line says anything of those before it; but the first one from the end
  /// that fits is the answer.
  ///
  /// - Parameter upToBreak: whether damage ends the log that is searched instead of failing the
  ///   search; then the break must be found first, by a pass from the start.
  public func lastSeq(
    notAfter moment: Timestamp, upToBreak: Bool = false
  ) throws(LogError) -> Seq? {
    var last: Seq?
    func look(_ window: RawSpan, _ envelope: Envelope) {
      guard envelope.milliseconds(in: window) <= moment.millisecondsSince1970 else { return }
      last = Seq(envelope.seq)
    }
    guard upToBreak else {
      try walkBackward { (window, _, envelope) throws(LineFault) in
        look(window, envelope)
      } goesOn: { _ in
        last == nil
      }
      return last
    }
    var scan = EventScan(checks: .form)
    do throws(LogError) {
      try forEachWindow { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          look(window, envelope)
        }
      }
    } catch {
      guard case .damaged = error else { throw error }
    }
    return last
  }
}
