extension RandomAccessCollection where Index == Int {
  /// The index of the first element that does not satisfy `isBefore`, in a collection in which all
  /// elements that do come first; `endIndex` if all do.
  @inlinable
  package func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
