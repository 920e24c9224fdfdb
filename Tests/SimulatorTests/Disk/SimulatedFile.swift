import LedgerTestSupport

/// The bytes of a file: what programs see, and what the platter has.
struct SimulatedFile {
  static let sectorBytes = 512

  let isFolder: Bool
  /// What reads return.
  private(set) var cached: [UInt8] = []
  /// What a power cut leaves at least.
  private(set) var durable: [UInt8] = []
  /// Sectors whose cached bytes are not on the platter.
  private var dirty: Set<Int> = []
  /// Whether anybody wrote over a cut that was not on the platter: a power cut may mix the bytes.
  private(set) var isWrittenOverCut = false

  init(isFolder: Bool) { self.isFolder = isFolder }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard !bytes.isEmpty else { return }
    if durable.count > cached.count { isWrittenOverCut = true }
    let end = offset + bytes.count
    if cached.count < end {
      touch(cached.count..<end)
      cached.grow(to: end)
    }
    cached.withUnsafeMutableBytes { cached in
      UnsafeMutableRawBufferPointer(rebasing: cached[offset..<end]).copyMemory(from: bytes)
    }
    touch(offset..<end)
  }

  mutating func truncate(to size: Int) {
    if size < cached.count {
      cached.removeLast(cached.count - size)
      // The kernel clears what stands behind the new end in its page.
      if size % Self.sectorBytes > 0 { touch(size..<size + 1) }
    } else {
      touch(cached.count..<size)
      cached.grow(to: size)
    }
  }

  private mutating func touch(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    dirty.formUnion(range.lowerBound / Self.sectorBytes...(range.upperBound - 1) / Self.sectorBytes)
  }

  /// Writes what is dirty, and nothing else: what an earlier sync failed to write stays unwritten.
  mutating func synchronize() {
    durable = contents(with: dirty, size: cached.count)
    dirty = []
  }

  /// The system tried to write everything and some of it failed. What failed counts as clean from
  /// now on, so that a second sync would succeed without writing it; reads go on as if it stood.
  mutating func failSynchronizing(using generator: inout SplitMix) {
    writeBack(using: &generator)
    dirty = []
    if generator.chance(1, of: 4) { cached = durable }
  }

  /// Some of what is dirty reaches the platter by itself.
  mutating func writeBack(using generator: inout SplitMix) {
    let (kept, size) = survivors(using: &generator)
    durable = contents(with: kept, size: size)
    // What the size cuts off is still to be written.
    dirty.subtract(kept.filter { size >= min(cached.count, ($0 + 1) * Self.sectorBytes) })
  }

  /// Any subset of the dirty sectors survives, and the file has its old size, its new one, or, where
  /// it grew, one between.
  mutating func losePower(using generator: inout SplitMix) {
    writeBack(using: &generator)
    cached = durable
    dirty = []
  }

  private func survivors(using generator: inout SplitMix) -> (sectors: Set<Int>, size: Int) {
    let sorted = dirty.sorted()
    var size = generator.chance(1, of: 2) ? cached.count : durable.count
    switch generator.below(4) {
    case 0: return ([], size)
    case 1: return (dirty, size)
    case 2:
      let kept = sorted.prefix(generator.below(sorted.count + 1))
      if let last = kept.last, generator.chance(1, of: 2), cached.count > durable.count {
        size = min(cached.count, max(durable.count, (last + 1) * Self.sectorBytes))
      }
      return (Set(kept), size)
    default: return (Set(sorted.filter { _ in generator.chance(1, of: 2) }), size)
    }
  }

  private func contents(with kept: Set<Int>, size: Int) -> [UInt8] {
    var result = durable
    result.grow(to: size)
    for sector in kept {
      let start = sector * Self.sectorBytes
      let end = min(size, start + Self.sectorBytes)
      guard start < end else { continue }
      result.replace(start..<end, with: cached)
    }
    result.removeLast(result.count - size)
    return result
  }

  /// A bit changes by itself, where nobody wrote.
  mutating func flip(bit: Int, at offset: Int) {
    cached[offset] ^= 1 << bit
    if offset < durable.count { durable[offset] ^= 1 << bit }
  }
}
