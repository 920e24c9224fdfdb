import Testing

@testable import LedgerImport

@Suite struct ExternalSorterTests {
  struct Number: SortedRecord, Equatable {
    var value: Int
    static func isBefore(_ left: Number, _ right: Number) -> Bool { left.value < right.value }
  }

  @Test("Any number of runs comes out in order", arguments: 0...40)
  func order(_ count: Int) throws {
    let numbers = (0..<count).map { Number(value: $0 * 7919 % 41) }
    func sorter() throws -> ExternalSorter<Number> {
      let sorter = ExternalSorter<Number>(capacity: 3)
      for number in numbers { try sorter.append(number) }
      return sorter
    }
    let expected = numbers.map(\.value).sorted()
    var visited: [Int] = []
    try sorter().visit { visited.append($0.value) }
    #expect(visited == expected)
    let records = try sorter().sorted()
    #expect(try (0..<records.count).map { try records.record($0).value } == expected)
  }

  @Test("A spool keeps the order of its records", arguments: [0, 1, 16_384, 40_000])
  func spool(_ count: Int) throws {
    var spool = RecordSpool<Number>()
    let numbers = (0..<count).map { $0 * 7919 % 41 }
    for number in numbers { try spool.append(Number(value: number)) }
    var visited: [Int] = []
    try spool.visit { visited.append($0.value) }
    #expect(visited == numbers)
    #expect(spool.isEmpty == numbers.isEmpty)
  }
}
