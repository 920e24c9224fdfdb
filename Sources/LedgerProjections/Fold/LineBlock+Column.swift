package import LedgerLog

extension LineBlock: ColumnElement {
  package static let placeholder = LineBlock(
    startBytes: 0, earliestAt: 0, latestAt: 0, earliestID: 0, latestID: 0, firstSeq: 1, kinds: 0)

  package func isPossible(at index: Int, in bounds: SnapshotBounds) -> Bool {
    bounds.holdsSeq(firstSeq) && startBytes >= 0 && startBytes < bounds.offsetBytes
  }
}

extension LedgerState {
  /// Puts the blocks of the stretch that was folded last behind the others. What is appended event by
  /// event becomes one block and not many.
  ///
  /// - Parameter next: `nil` where that stretch was not summed up. Then nothing is known any more:
  ///   blocks with a gap between them would say of lines what is not so.
  mutating func join(_ next: [LineBlock]?) {
    guard var next else {
      blocks = nil
      return
    }
    guard let count = blocks?.count, let first = next.first else { return }
    let firstEnd = next.count > 1 ? Int(next[1].startBytes) : offsetBytes
    if count > 0, var last = blocks?[count - 1], firstEnd - Int(last.startBytes) <= LineBlock.bytes
    {
      last.join(first)
      blocks?[count - 1] = last
      next.removeFirst()
    }
    blocks?.take(&next)
  }
}
