package import LedgerModel
import LedgerPlatform

/// Single lines of a log for a reader that asks for them mostly in ascending order: lines shortly after
/// an earlier one are found in memory.
///
/// Not `Sendable`: for one thread.
package final class NearbyLines {
  package let view: LogView
  private var window: [UInt8] = []
  private var windowOffset = 0
  /// The place in the window of the next line, and the event before it.
  private var place = 0
  private var before = ChainPosition.start
  /// Requests in a row that the window did not hold.
  private var misses = 0

  private static let windowBytes = 1 << 16
  /// A single request elsewhere, such as for a correction, does not move the window.
  private static let mostMisses = 4

  package init(_ view: LogView) { self.view = view }

  /// As ``LogView/checkedLine(_:)``.
  package func checkedLine(_ seq: Seq) throws(LogError) -> LogView.StoredLine {
    if let line = try found(seq) {
      misses = 0
      return line
    }
    misses += 1
    let line = try view.checkedLine(seq)
    if misses > Self.mostMisses || seq.number == before.seq + 1 { try fill(after: line) }
    return line
  }

  /// - Returns: `nil` if the rest of the window does not hold the line.
  private func found(_ seq: Seq) throws(LogError) -> LogView.StoredLine? {
    while before.seq < seq.number {
      guard let end = window[place...].firstIndex(of: 0x0A) else { return nil }
      let line = try view.stored(Array(window[place..<end]), at: windowOffset + place)
      guard line.seq <= seq.number else { return nil }
      if line.seq == seq.number { try line.checkLink(after: before) }
      before = try view.position(endOf: line)
      place = end + 1
      if line.seq == seq.number { return line }
    }
    return nil
  }

  private func fill(after line: LogView.StoredLine) throws(LogError) {
    windowOffset = line.offsetBytes + line.bytes.count + 1
    let end = min(view.endBytes, windowOffset + Self.windowBytes)
    window = try logErrors { () throws(IOFailure) in
      try view.file.bytes(in: windowOffset..<max(windowOffset, end))
    }
    (place, before, misses) = (0, try view.position(endOf: line), 0)
  }
}
