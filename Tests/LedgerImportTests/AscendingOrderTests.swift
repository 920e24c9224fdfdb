import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct AscendingOrderTests {
  @Test("Only readings that fit the ascending order remain")
  func theOnlyReadingThatFitsIsLeft() {
    #expect(AscendingOrder.narrow([[3], [2, 4], [5]]) == [[3], [4], [5]])
    #expect(AscendingOrder.narrow([[3], [1, 4]]) == [[3], [4]])
    #expect(AscendingOrder.narrow([[1, 4], [2]]) == [[1], [2]])
  }

  @Test("Two readings that both fit both remain")
  func whatFitsTwiceStaysOpen() {
    #expect(AscendingOrder.narrow([[1], [2, 4], [5]]) == [[1], [2, 4], [5]])
    #expect(AscendingOrder.narrow([[2, 4]]) == [[2, 4]])
    #expect(AscendingOrder.narrow([[Int]]()) == [])
  }

  @Test("Rows without any ascending order are undecided")
  func rowsThatStepBackProveNothing() {
    #expect(AscendingOrder.narrow([[3], [2]]) == nil)
    #expect(AscendingOrder.narrow([[1, 4], [0]]) == nil)
  }

  @Test("Equal readings may follow each other")
  func equalReadingsMayFollow() {
    #expect(AscendingOrder.narrow([[2], [1, 2], [2]]) == [[2], [2], [2]])
  }

  /// Against the definition: try every choice, keep what some ascending one takes.
  @Test("The readings that remain are those of all ascending choices")
  func itIsExactlyWhatAllChoicesAllow() {
    var generator = SplitMix(11)
    for _ in 0..<3000 {
      let rows = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        let readings = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          Int.random(in: 0..<6, using: &generator)
        }
        return Set(readings).sorted()
      }
      #expect(AscendingOrder.narrow(rows) == byTryingAll(rows), "\(rows)")
    }
  }

  func byTryingAll(_ rows: [[Int]]) -> [[Int]]? {
    var choices: [[Int]] = [[]]
    for readings in rows { choices = choices.flatMap { choice in readings.map { choice + [$0] } } }
    choices = choices.filter { zip($0, $0.dropFirst()).allSatisfy { $0 <= $1 } }
    guard !choices.isEmpty else { return nil }
    return rows.indices.map { index in
      rows[index].filter { reading in choices.contains { $0[index] == reading } }
    }
  }
}
