import LedgerTestSupport
import Testing

@testable import LedgerReport

@Suite struct UnusualValuesTests {
  private func wave(_ count: Int) -> [Double] {
    (0..<count).map { 80 + Double($0 * 37 % 19 - 9) / 10 }
  }

  @Test("A slip of the finger is found, wherever it is", arguments: [0, 1, 30, 58, 59])
  func slip(place: Int) {
    var values = wave(60)
    values[place] = 8
    #expect(UnusualValues.places(in: values) == [place])
  }

  @Test("A steady change is none")
  func trend() {
    let values = wave(400).enumerated().map { $1 - Double($0) / 20 }
    #expect(UnusualValues.places(in: values).isEmpty)
  }

  @Test("Normal variation is none", arguments: 1...20 as ClosedRange<UInt64>)
  func noise(_ seed: UInt64) {
    var random = SplitMix(seed)
    let values = (0..<1000).map { _ in
      // The sum of twelve uniform numbers is almost normal.
      (0..<12).reduce(0.0) { sum, _ in sum + Double(random.next() % 1000) / 1000 }
    }
    #expect(UnusualValues.places(in: values).isEmpty)
  }

  @Test("Where nothing is usual, nothing is unusual")
  func mixed() {
    // Half an hour of sport on every tenth day.
    #expect(UnusualValues.places(in: (0..<100).map { $0 % 10 == 0 ? 30 : 0 }).isEmpty)
    #expect(UnusualValues.places(in: Array(repeating: 75, count: 40)).isEmpty)
    // Hours of sleep, rounded to halves.
    #expect(UnusualValues.places(in: Array(repeating: 7.5, count: 19) + [8]).isEmpty)
    #expect(UnusualValues.places(in: [75, 75, 750]).isEmpty)
    #expect(UnusualValues.places(in: []).isEmpty)
  }
}
