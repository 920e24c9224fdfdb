package import LedgerModel

extension LogView {
  /// Which of these ids the log has, and where: one pass over the lines, whose `data` is passed by.
  ///
  /// - Parameter blocks: what is known of the lines, so that those need not be read that lie in other
  ///   years; where ids of many moments stand side by side it helps little.
  package func seqs(
    of ids: Set<EventID>, in blocks: LineBlocks = .none
  ) throws(LogError) -> [EventID: Seq] {
    guard !ids.isEmpty else { return [:] }
    let moments = ids.map { LineBlock.moment(of: $0.uuid) }.sorted()
    var found: [EventID: Seq] = [:]
    for stretch in stretches(blocks, where: { $0.mayHoldID(ofAnyOf: moments) }) {
      var scan = EventScan(
        from: stretch.position, offsetBytes: stretch.bytes.lowerBound, checks: .form)
      try LineWindows.forEach(of: file, in: stretch.bytes) { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (_, envelope) throws(LineFault) in
          let id = EventID(envelope.id)
          if ids.contains(id) { found[id] = Seq(envelope.seq) }
        }
      }
    }
    return found
  }

  /// The largest seq whose `at` is not after a moment; `nil` when there is none.
  ///
  /// Clocks step back, so no line says anything of those before it; but the first one from the end
  /// that fits is the answer.
  ///
  /// - Parameters:
  ///   - blocks: what is known of the lines, so that those of other times need not be read.
  ///   - upToBreak: whether damage ends the log that is searched instead of failing the search; then
  ///     the break must be found first, by a pass from the start.
  package func lastSeq(
    notAfter moment: Timestamp, in blocks: LineBlocks = .none, upToBreak: Bool = false
  ) throws(LogError) -> Seq? {
    let milliseconds = moment.millisecondsSince1970
    var last: Seq?
    func look(_ window: RawSpan, _ envelope: Envelope) {
      guard envelope.milliseconds(in: window) <= milliseconds else { return }
      last = Seq(envelope.seq)
    }
    guard upToBreak else {
      for stretch in stretches(blocks, where: { $0.earliestAt <= milliseconds }).reversed()
      where last == nil {
        try walkBackward(through: stretch) { (window, _, envelope) throws(LineFault) in
          look(window, envelope)
        } goesOn: { _ in
          last == nil
        }
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

extension LineBlock {
  /// - Parameter moments: ascending.
  fileprivate func mayHoldID(ofAnyOf moments: [Int64]) -> Bool {
    var low = 0
    var high = moments.count
    while low < high {
      let middle = low + (high - low) / 2
      if moments[middle] < earliestID { low = middle + 1 } else { high = middle }
    }
    return low < moments.count && moments[low] <= latestID
  }
}
