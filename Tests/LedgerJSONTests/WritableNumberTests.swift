import LedgerJSON
import LedgerTestSupport
import Testing

@Suite struct WritableNumberTests {
  @Test(
    "Numbers within the bounds are writable",
    arguments: [
      0, -0.0, 1, 1e15, -1e15, 0.1, 1e-300, .leastNonzeroMagnitude, 999_999_999_999_999,
      0.123456789012345,
      9.99999999999999999, 123456789.012345,
    ])
  func aLogMayHold(value: Double) {
    #expect(JSONNumber.isWritable(value))
    #expect(JSONNumber.writable(value) == value)
    #expect(number(JSONNumber.text(value), .bounded) == value)
  }

  static let rounded: [(value: Double, nearest: Double?)] = [
    (0.1 + 0.2, 0.3), (-0.1 - 0.2, -0.3), (1.0 / 3, 0.333333333333333),
    (2.0 / 3, 0.666666666666667), (.pi, 3.14159265358979), (999_999_999_999_999.5, 1e15),
    (-999_999_999_999_999.5, -1e15), (9.999999999999999, 10), (0.09999999999999999, 0.1),
    (0.9999999999999996, 1), (99999.99999999999, 100_000), (1e15.nextUp, nil), (-1e16, nil),
    (1e300, nil), (.infinity, nil), (-.infinity, nil), (.nan, nil),
    (1.7976931348623157e-10, 1.79769313486232e-10),
  ]

  @Test("Other numbers are rounded or refused", arguments: rounded.indices)
  func whatALogMayNotHoldIsRoundedOrRefused(index: Int) {
    let (value, nearest) = Self.rounded[index]
    #expect(!JSONNumber.isWritable(value))
    #expect(JSONNumber.writable(value) == nearest)
  }

  @Test("A number is writable exactly if the log reads it back", arguments: [21, 22] as [UInt64])
  func isWritableExactlyWhenTheLogReadsItBack(seed: UInt64) {
    var generator = SplitMix(seed)
    for index in 0..<TestSize.of(2_000, full: 8_000) {
      var value = Double(bitPattern: generator.next())
      if index.isMultiple(of: 2) { value = Double.random(in: -1e15...1e15, using: &generator) }
      if index.isMultiple(of: 3) { value = (value * 1000).rounded() / 1000 }
      guard value.isFinite else { continue }
      let read = number(JSONNumber.text(value), .bounded)
      let nearest = JSONNumber.writable(value)
      let isRight =
        JSONNumber.isWritable(value) == (read == value)
        && nearest.map(JSONNumber.isWritable) ?? (value.magnitude > 1e15)
        && nearest.map { abs($0 - value) <= abs(value) * 5.01e-15 + .leastNonzeroMagnitude } ?? true
      guard isRight else {
        Issue.record("seed \(seed): \(value), read \(read as Any), nearest \(nearest as Any)")
        return
      }
    }
  }
}
