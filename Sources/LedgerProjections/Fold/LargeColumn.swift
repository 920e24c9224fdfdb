import LedgerPlatform

extension Array {
  /// Makes room for many elements, in large pages where the system has them: a page that is touched
  /// for the first time costs a fault, and a column of a million rows has fifteen thousand small ones.
  mutating func reserveLarge(_ count: Int) {
    reserveCapacity(count)
    #if os(Linux)
      let bytes = capacity * MemoryLayout<Element>.stride
      guard bytes >= 2 << 20 else { return }
      // Small pages: a large one may reach over the end of this column into the next.
      let page = Int(getpagesize())
      withUnsafeMutableBytes { elements in
        guard let start = elements.baseAddress else { return }
        // Only advice, and only on pages that are wholly the column's.
        let first = (Int(bitPattern: start) + page - 1) & ~(page - 1)
        let end = (Int(bitPattern: start) + bytes) & ~(page - 1)
        guard end > first else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, MADV_HUGEPAGE)
      }
    #endif
  }
}
