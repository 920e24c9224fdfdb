import LedgerTestSupport

/// The draws that a story is made of.
extension SplitMix {
  /// 0 up to, not including, `bound`; 0 for a bound of 0.
  mutating func below(_ bound: Int) -> Int {
    bound > 0 ? Int(next() >> 1) % bound : 0
  }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
