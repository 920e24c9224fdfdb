extension RandomAccessCollection where Index == Int {
  /// The index of the first element that satisfies a predicate; `endIndex` if none does.
  ///
  /// - Precondition: no element that does not satisfy it follows one that does.
  @inlinable
  package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
