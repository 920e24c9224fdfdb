import LedgerJSON
import LedgerModel

/// A perfect hash of the metrics by name. A name with the text after it has at least 16 characters,
/// which differ between any two metrics, so some multiplier gives each its own slot. Comparing one
/// name after the other would mispredict branches.
struct MetricTable: Sendable {
  /// A name followed by `","quantity":`, with masks for the unused part of 32 characters.
  private struct Slot {
    var low = SIMD16<UInt8>(repeating: 0)
    var high = SIMD16<UInt8>(repeating: 0)
    var lowMask = SIMD16<UInt8>(repeating: 0)
    var highMask = SIMD16<UInt8>(repeating: 0)
    let count: Int
    let metric: UInt8

    init(_ metric: Metric, _ text: [UInt8]) {
      count = text.count
      self.metric = metric.index
      for index in text.indices {
        if index < 16 {
          (low[index], lowMask[index]) = (text[index], 0xFF)
        } else {
          (high[index - 16], highMask[index - 16]) = (text[index], 0xFF)
        }
      }
    }
  }

  /// A name of up to 24 characters, padded with zeros.
  private struct Name {
    var words: (UInt64, UInt64, UInt64)
    let metric: UInt8

    init(_ metric: Metric) {
      let text = Array(metric.name.utf8) + [UInt8](repeating: 0, count: 24)
      words = (MetricTable.word(text, 0), MetricTable.word(text, 8), MetricTable.word(text, 16))
      self.metric = metric.index
    }

    /// Mask of the bytes of a word that hold characters, with `count` of them left.
    @inline(__always)
    static func mask(_ count: Int) -> UInt64 {
      count >= 8 ? .max : count <= 0 ? 0 : 1 &<< UInt64(count &* 8) &- 1
    }
  }

  private static let slotBits: UInt64 = 6
  private static let suffix = #"","quantity":"#
  private let multiplier: UInt64
  private let slots: [Slot]
  private let names: [Name]

  /// Made once: each scanner has it.
  static let shared = MetricTable()

  private init() {
    let texts = Metric.allCases.map { Array(($0.name + Self.suffix).utf8) }
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    while !Self.separates(texts, multiplier) {
      multiplier = multiplier &* 0xD6E8_FEB8_6659_FD93 | 1
    }
    // Unused slots hold an arbitrary metric; lookup compares the full name.
    let unused = Slot(Metric.allCases[0], texts[0])
    var slots = [Slot](repeating: unused, count: 1 << Int(Self.slotBits))
    for (metric, text) in zip(Metric.allCases, texts) {
      slots[Self.place(Self.key(of: text), multiplier)] = Slot(metric, text)
    }
    self.multiplier = multiplier
    self.slots = slots
    names = Metric.allCases.map { Name($0) }
  }

  /// The metric named at a position, followed by `","quantity":`; steps over both.
  @inline(__always)
  func metric(_ bytes: RawSpan, at position: inout Int) -> UInt8? {
    let key = bytes.uncheckedWord(position) ^ bytes.uncheckedWord(position &+ 8) &* 31
    let slot = slots[Self.place(key, multiplier)]
    let low = (bytes.uncheckedVector(position) ^ slot.low) & slot.lowMask
    let high = (bytes.uncheckedVector(position &+ 16) ^ slot.high) & slot.highMask
    let words = unsafeBitCast(low | high, to: SIMD2<UInt64>.self)
    guard words.x | words.y == 0 else { return nil }
    position &+= slot.count
    return slot.metric
  }

  /// The metric named at a position, followed by a quote and any text; steps over the quote.
  func metric(named bytes: RawSpan, at position: inout Int) -> UInt8? {
    var end = position
    JSONScanner.skipPlainUnchecked(in: bytes, at: &end)
    let count = end &- position
    guard bytes.uncheckedByte(end) == UInt8(ascii: "\""), count > 0, count <= 24 else { return nil }
    let words = (
      bytes.uncheckedWord(position) & Name.mask(count),
      bytes.uncheckedWord(position &+ 8) & Name.mask(count &- 8),
      bytes.uncheckedWord(position &+ 16) & Name.mask(count &- 16)
    )
    for name in names where name.words == words {
      position = end &+ 1
      return name.metric
    }
    return nil
  }

  /// Whether each text has its own slot.
  private static func separates(_ texts: [[UInt8]], _ multiplier: UInt64) -> Bool {
    var taken: UInt64 = 0
    for text in texts {
      let slot: UInt64 = 1 << UInt64(place(key(of: text), multiplier))
      guard taken & slot == 0 else { return false }
      taken |= slot
    }
    return true
  }

  @inline(__always)
  private static func place(_ key: UInt64, _ multiplier: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* multiplier) >> (64 - slotBits))
  }

  private static func key(of text: [UInt8]) -> UInt64 { word(text, 0) ^ word(text, 8) &* 31 }

  private static func word(_ text: [UInt8], _ start: Int) -> UInt64 {
    text[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
