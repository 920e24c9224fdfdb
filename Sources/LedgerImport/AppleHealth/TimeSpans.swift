/// Spans of time that do not touch, in order: when a source was counting.
struct TimeSpans {
  private var spans: [(start: Int64, end: Int64)] = []

  var isEmpty: Bool { spans.isEmpty }

  /// Adds a span; what it touches becomes one with it.
  mutating func add(_ start: Int64, _ end: Int64) {
    guard start < end else { return }
    // Mostly it comes behind all others.
    guard let last = spans.last, last.end >= start else {
      spans.append((start, end))
      return
    }
    let first = firstIndex(endingAtOrAfter: start)
    var merged = (start: start, end: end)
    var behind = first
    while behind < spans.count, spans[behind].start <= end {
      merged = (min(merged.start, spans[behind].start), max(merged.end, spans[behind].end))
      behind += 1
    }
    spans.replaceSubrange(first..<behind, with: [merged])
  }

  mutating func add(_ other: TimeSpans) {
    for span in other.spans { add(span.start, span.end) }
  }

  /// How much of a span is in these, in seconds.
  func covered(_ start: Int64, _ end: Int64) -> Int64 {
    var seconds: Int64 = 0
    for span in spans[firstIndex(endingAtOrAfter: start)...] {
      guard span.start < end else { break }
      seconds += max(0, min(end, span.end) - max(start, span.start))
    }
    return seconds
  }

  /// Whether a moment is in them; the end of a span is behind it.
  func contains(_ moment: Int64) -> Bool {
    let index = firstIndex(endingAtOrAfter: moment + 1)
    return index < spans.count && spans[index].start <= moment
  }

  private func firstIndex(endingAtOrAfter moment: Int64) -> Int {
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].end < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
