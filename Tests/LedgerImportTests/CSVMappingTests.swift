import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct CSVMappingTests {
  func refusal(_ mapping: CSVMapping, _ text: String = "d,t,w\n") -> String? {
    do {
      _ = try CSVImport.read(source(text), mapping: mapping, context: context())
      return nil
    } catch {
      return error.description
    }
  }

  @Test("A mapping that contradicts itself is refused before the file is read")
  func whatContradictsItselfIsRefusedBeforeReading() throws {
    let plain = CSVMapping(metric: .weight, quantity: "w", date: "d")
    #expect(refusal(plain) == nil)
    var mapping = plain
    mapping.dateFormat = try DateFormat("HH:mm")
    #expect(refusal(mapping) == "the date pattern 'HH:mm' names no date")
    mapping = plain
    mapping.dateFormat = try DateFormat("yyyy-MM-dd HH:mm")
    #expect(refusal(mapping) == nil)
    mapping.time = "t"
    #expect(refusal(mapping)?.contains("leave out the column of times") == true)
    mapping = plain
    mapping.timeFormat = try DateFormat("HH:mm")
    #expect(refusal(mapping) == "a time pattern needs a column of times")
    mapping.time = "t"
    #expect(refusal(mapping) == nil)
    mapping.timeFormat = try DateFormat("yyyy-MM-dd HH:mm")
    #expect(refusal(mapping)?.contains("must name a time and no date") == true)
    mapping = plain
    mapping.unit = "furlong"
    #expect(refusal(mapping)?.contains("it takes kg, g, lb") == true)
    mapping = plain
    mapping.source = ""
    #expect(refusal(mapping)?.contains("the source is empty") == true)
  }

  @Test("A mapping that names a missing column is refused")
  func everyNamedColumnHasToBeThere() {
    var mapping = CSVMapping(metric: .weight, quantity: "w", date: "d", time: "t", notes: "n")
    #expect(refusal(mapping)?.contains("no column 'n'; its columns are 'd', 't', 'w'") == true)
    mapping.notes = nil
    mapping.conditions = [.init(column: "Id", value: "1")]
    #expect(refusal(mapping)?.contains("no column 'Id'") == true)
    #expect(refusal(mapping, "")?.contains("is empty") == true)
  }

  @Test("Rows of one day are said to be summed, and to lose their notes, in named columns, too")
  func summedRows() throws {
    let mapping = CSVMapping(metric: .caloriesIn, quantity: "w", date: "d", notes: "t")
    let result = try CSVImport.read(
      source("d,t,w\n2026-01-31,oats,380\n2026-01-31,soup,300\n"), mapping: mapping,
      context: context())
    #expect(result.lines == ["calories_in 2026-01-31 680"])
    #expect(
      result.notes.contains {
        $0.hasSuffix("rows of one day or time, without their notes where those differ")
      })
  }

  @Test("A condition is split at its first equals sign")
  func conditionsAreSplitAtTheFirstEqualsSign() {
    #expect(CSVMapping.Condition("Id=a=b") == .init(column: "Id", value: "a=b"))
    #expect(CSVMapping.Condition("Id=") == .init(column: "Id", value: ""))
    #expect(CSVMapping.Condition("Id") == nil)
  }

  /// Two rows of each person, read with the conditions of `--where`.
  private func weights(
    _ conditions: [CSVMapping.Condition], known: [String: Double] = [:],
    rows: String = "2026-01-30,83,anna\n2026-01-31,82,anna\n"
  ) throws -> ImportResult {
    var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
    mapping.conditions = conditions
    return try CSVImport.read(
      recognizing: source("date,weight,person\n" + rows, name: "w.csv"), rules: [],
      adjust: { $0.adjusted(by: mapping, source: nil) }, context: context(known: known))
  }

  @Test("A row is known under other conditions, if its value is the same")
  func otherConditions() throws {
    let anna = [CSVMapping.Condition(column: "person", value: "anna")]
    let (without, with) = (known(after: try weights([])), known(after: try weights(anna)))
    #expect(with.keys.contains("csv csv:weight:2026-01-31?person=anna"))
    #expect(try weights(anna, known: without).known == 2)
    #expect(try weights([], known: with).known == 2)
    #expect(try weights(anna, known: with).known == 2)
    // Another value may be another person's.
    let other = "2026-01-30,83,anna\n2026-01-31,70,anna\n"
    let changed = try weights(anna, known: without, rows: other)
    #expect(changed.known == 1 && changed.lines == ["weight 2026-01-31 70"])
    #expect(try weights([], known: with, rows: other).edits.count == 1)
    // Rows under two conditions are two.
    let ben = [CSVMapping.Condition(column: "person", value: "ben")]
    #expect(try weights(ben, known: with, rows: "2026-01-31,82,ben\n").edits.count == 1)
  }

  @Test("A condition on a column that is not there names it")
  func missingConditionColumn() throws {
    let persn = [CSVMapping.Condition(column: "persn", value: "anna")]
    let error = #expect(throws: ImportError.self) { try weights(persn) }
    #expect(
      error?.description
        == "w.csv has no column 'persn'; its columns are 'date', 'weight', 'person'")
    var mapping = CSVMapping(metric: .weight, quantity: "weight", date: "date")
    mapping.conditions = persn
    let mapped = #expect(throws: ImportError.self) {
      try CSVImport.read(
        source("date,weight,person\n2026-01-31,82,anna\n", name: "w.csv"), mapping: mapping,
        context: context())
    }
    #expect(mapped == error)
  }

  @Test("Source ids differ where the conditions differ, whatever their order")
  func sourceIdsTellConditionsApart() {
    func id(_ conditions: [CSVMapping.Condition]) -> String {
      CSVSourceID(
        .steps,
        CSVRules(CSVMapping(metric: .steps, quantity: "s", date: "d", conditions: conditions))
          .conditions
      ).of(day("2016-04-12"), nil)
    }
    #expect(id([]) == "csv:steps:2016-04-12")
    let a = CSVMapping.Condition(column: "a", value: "1")
    let b = CSVMapping.Condition(column: "b", value: "x&y=ü ")
    #expect(id([a, b]) == "csv:steps:2016-04-12?a=1&b=x%26y%3D%C3%BC%20")
    #expect(id([b, a, a]) == id([a, b]))
    #expect(id([.init(column: "a", value: "1&b=2")]) != id([a, .init(column: "b", value: "2")]))
  }

  @Test("Only exact matches pass a filter")
  func onlyExactMatchesPassAFilter() throws {
    let mapping = CSVMapping(
      metric: .weight, quantity: "w", date: "d", conditions: [.init(column: "id", value: "1")])
    let text = "id,d,w\n1,2026-01-01,70\n 1,2026-01-02,70\n11,2026-01-03,70\n,x,y\n"
    let result = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(result.lines == ["weight 2026-01-01 70"])
    #expect(result.skippedByFilter == 3)
    #expect(result.problems.isEmpty)
  }

  @Test("Conditions that no row fulfils are named, with what their column has instead")
  func noRowMatches() throws {
    var mapping = CSVMapping(
      metric: .weight, quantity: "w", date: "d", conditions: [.init(column: "person", value: "bob")]
    )
    let text = "person,d,w\nanna,2026-01-01,70\neve,2026-01-02,70\nanna,2026-01-03,70\n"
    let none = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(
      none.notes == ["data.csv: no row has 'bob' in 'person', which has 'anna', 'eve'"])
    mapping.conditions[0].value = "eve"
    let one = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(one.notes.isEmpty)
    mapping.conditions.append(.init(column: "w", value: "71"))
    let both = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(both.notes == ["data.csv: no row has 'eve' in 'person' and '71' in 'w'"])
  }
}
