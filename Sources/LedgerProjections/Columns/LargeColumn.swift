#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Array {
  /// Makes room for many elements, in large pages where the system has them: a page that is touched
  /// for the first time costs a fault, and a column of a million rows has fifteen thousand small ones.
  mutating func reserveLarge(_ count: Int) {
    reserveCapacity(count)
    #if os(Linux)
      let bytes = capacity * MemoryLayout<Element>.stride
      let page = 2 << 20
      guard bytes >= 4 * page else { return }
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
