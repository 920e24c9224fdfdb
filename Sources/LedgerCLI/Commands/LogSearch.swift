import LedgerLog
import LedgerModel
import LedgerProjections

/// Finds the lines that a filter lets through, in one pass over as little of the log as will do.
struct LogSearch {
  /// Where a line stands in the log, its `\n` not counted.
  struct Place {
    var seq: Int
    var offsetBytes: Int
    var count: Int
  }

  /// The lines found in one window.
  struct Matches {
    let windowOffset: Int
    var places: [Place] = []

    /// Ranges of the window that hold them with their `\n`, neighbours joined.
    var runs: [Range<Int>] {
      var runs: [Range<Int>] = []
      for place in places {
        let start = place.offsetBytes - windowOffset
        let end = start + place.count + 1
        if let last = runs.last, last.upperBound == start {
          runs[runs.count - 1] = last.lowerBound..<end
        } else {
          runs.append(start..<end)
        }
      }
      return runs
    }
  }

  private let view: LogView
  private let filter: LogFilter
  init(_ view: LogView, _ filter: LogFilter) {
    self.view = view
    self.filter = filter
  }

  /// Calls `body` with what each window of the log holds; it returns false to stop.
  ///
  /// - Throws: damage, after `body` has had what stands before it.
  func run(
    _ body: (_ window: RawSpan, _ matches: Matches) -> Bool
  ) throws(LogError) {
    let lastSeq = filter.lastSeq ?? .max
    var goesOn = true
    for stretch in stretches where goesOn {
      var scan = EventScan(
        from: stretch.position, offsetBytes: stretch.bytes.lowerBound, checks: .form)
      try LineWindows.forEachWhile(of: view.file, in: stretch.bytes) {
        (window, offset) throws(LogError) in
        var matches = Matches(windowOffset: offset)
        do throws(LogError) {
          try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
            guard filter.matches(envelope, in: window) else { return }
            matches.places.append(Place(envelope, windowOffset: offset))
          }
        } catch {
          _ = body(window, matches)
          throw error
        }
        goesOn = body(window, matches) && scan.position.seq < lastSeq
        return goesOn
      }
    }
  }

  /// Where lines can stand that match, oldest first.
  private var stretches: [LineStretch] {
    let hasSeqs = filter.firstSeq != nil || filter.lastSeq != nil
    let stretches =
      filter.asksForTimeOrType
      ? view.stretches(view.lineBlocks(), where: filter.mayMatch())
      : [LineStretch(position: .start, bytes: 0..<view.endBytes)]
    return hasSeqs ? clipped(stretches) : stretches
  }

  /// Without what stands before the first seq and behind the last one that can match. Where those are
  /// not found, the pass over all of it says why.
  private func clipped(_ stretches: [LineStretch]) -> [LineStretch] {
    let start = first
    let end = endOfLast ?? view.endBytes
    return stretches.compactMap { stretch in
      var stretch = stretch
      if let start, start.bytes.lowerBound > stretch.bytes.lowerBound {
        guard start.bytes.lowerBound < stretch.bytes.upperBound else { return nil }
        stretch = LineStretch(
          position: start.position, bytes: start.bytes.lowerBound..<stretch.bytes.upperBound)
      }
      guard stretch.bytes.lowerBound < end else { return nil }
      stretch.bytes = stretch.bytes.lowerBound..<min(end, stretch.bytes.upperBound)
      return stretch
    }
  }

  /// The lines from the first seq on that can match; `nil` for all.
  private var first: LineStretch? {
    guard let first = filter.firstSeq, first.number > 1 else { return nil }
    guard let line = try? view.line(first) else {
      let last = try? view.lastLine()
      guard let last, last.seq < first.number else { return nil }
      return LineStretch(position: .start, bytes: view.endBytes..<view.endBytes)
    }
    guard let position = try? view.position(behind: line.offsetBytes) else { return nil }
    return LineStretch(position: position, bytes: line.offsetBytes..<view.endBytes)
  }

  /// Behind the last line that can match; `nil` for the log's end.
  private var endOfLast: Int? {
    guard let last = filter.lastSeq.flatMap({ Seq(exactly: $0) }), let line = try? view.line(last)
    else { return nil }
    return line.offsetBytes + line.bytes.count + 1
  }
}

extension LogSearch {
  /// The last lines that match, oldest first, looked for from the end: what stands before the first
  /// of them is not read.
  func last(_ wanted: Int) throws(LogError) -> [Place] {
    guard wanted > 0 else { return [] }
    var found: [[Place]] = []
    var part: [Place] = []
    var count = 0
    func close() {
      found.append(part)
      count += part.count
      part = []
    }
    for stretch in stretches.reversed() where count < wanted {
      try view.walkBackward(through: stretch) { (window, offset, envelope) throws(LineFault) in
        guard filter.matches(envelope, in: window) else { return }
        part.append(Place(envelope, windowOffset: offset))
      } goesOn: { _ in
        close()
        return count < wanted
      }
      close()
    }
    return found.reversed().flatMap(\.self).suffix(wanted)
  }
}

extension LogSearch.Place {
  fileprivate init(_ envelope: Envelope, windowOffset: Int) {
    self.init(
      seq: envelope.seq, offsetBytes: windowOffset + envelope.start,
      count: envelope.end - envelope.start)
  }
}
