import LedgerLog
import LedgerModel

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
  private var scan = EventScan(checks: .form)

  init(_ view: LogView, _ filter: LogFilter) {
    self.view = view
    self.filter = filter
  }

  /// Calls `body` with what each window of the log holds; it returns false to stop.
  ///
  /// - Throws: damage, after `body` has had what stands before it.
  mutating func run(
    _ body: (_ window: RawSpan, _ matches: Matches) -> Bool
  ) throws(LogError) {
    skip()
    let filter = filter
    var scan = scan
    let lastSeq = filter.lastSeq ?? .max
    try LineWindows.forEachWhile(of: view.file, in: scan.offsetBytes..<view.endBytes) {
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
      return body(window, matches) && scan.position.seq < lastSeq
    }
  }

  /// Goes to the first line that can match. Where that fails, the pass from line 1 says why.
  private mutating func skip() {
    guard let first = filter.firstSeq, first.number > 1 else { return }
    guard let line = try? view.line(first) else {
      let last = try? view.lastLine()
      if let last, last.seq < first.number { scan.offsetBytes = view.endBytes }
      return
    }
    guard let position = try? view.position(behind: line.offsetBytes) else { return }
    scan = EventScan(from: position, offsetBytes: line.offsetBytes, checks: .form)
  }
}

extension LogSearch {
  /// The last lines that match, oldest first, looked for from the end: what stands before the first
  /// of them is not read.
  func last(_ wanted: Int) throws(LogError) -> [Place] {
    guard wanted > 0 else { return [] }
    var found: [[Place]] = []
    var stretch: [Place] = []
    var count = 0
    let firstSeq = filter.firstSeq?.number ?? 1
    try view.walkBackward(from: endOfLast) { (window, offset, envelope) throws(LineFault) in
      guard filter.matches(envelope, in: window) else { return }
      stretch.append(Place(envelope, windowOffset: offset))
    } goesOn: { before in
      found.append(stretch)
      count += stretch.count
      stretch = []
      return count < wanted && before.seq >= firstSeq
    }
    found.append(stretch)
    return found.reversed().flatMap(\.self).suffix(wanted)
  }

  /// Behind the last line that can match; `nil` for the log's end.
  private var endOfLast: Int? {
    guard let last = filter.lastSeq.flatMap({ Seq(exactly: $0) }), let line = try? view.line(last)
    else { return nil }
    return line.offsetBytes + line.bytes.count + 1
  }
}

extension LogSearch.Place {
  fileprivate init(_ envelope: Envelope, windowOffset: Int) {
    self.init(
      seq: envelope.seq, offsetBytes: windowOffset + envelope.start,
      count: envelope.end - envelope.start)
  }
}
