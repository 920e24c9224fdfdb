import LedgerModel

/// What the columns of one kind of CSV file mean (docs/import.md, Rules).
///
/// Names are compared as ``ColumnName/base``: without case, accents, separators and unit.
package struct CSVRules: Hashable, Sendable {
  /// A row's quantity of one metric.
  struct Quantity: Hashable, Sendable {
    var metric: Metric
    /// One of these names; the first that the file has counts.
    var columns: [String]
    /// The unit of bare numbers; `nil` for the one in the column's name, else the metric's own.
    var unit: String?
    /// The units that bare numbers may be in, if the file does not write which: its numbers tell, else
    /// it is asked for.
    var units: [String] = []
    /// Takes only rows that have one of these values there.
    var condition: Condition?
    /// Whether the column is only meant if its cells have units of the metric.
    var needsCellUnit = false
    /// Whether it is the length of the session, which has no number of its own.
    var isPeriod = false
  }

  struct Condition: Hashable, Sendable {
    var columns: [String]
    var values: [String]
    /// Whether it is a person's, and not of the rules.
    var isByPerson = false
  }

  struct Period: Hashable, Sendable {
    var start: [String]
    var end: [String]
    /// Whether the names of the columns suggest it: rows that are no session are hours of sleep.
    var isGuess = false
  }

  /// What several rows of one metric and moment are.
  enum SameMoment: String, Hashable, Sendable {
    /// Equal rows are one measurement, and others contradict each other.
    case refuse
    /// Parts of one quantity, such as the foods of a meal.
    case sum
    /// The first one counts.
    case first
  }

  enum Times: String, Hashable, Sendable {
    /// Times without an offset are those of the zone column, else of the ledger's zone.
    case local
    /// Times without an offset are in UTC.
    case utc
    /// Only the day counts.
    case drop
  }

  /// The name for `--rules`, such as `withings`.
  package var name = ""
  /// The program or device, for messages.
  package var vendor = ""
  /// The columns that a file must have to be recognized; each with its names.
  var header: [[String]] = []
  /// The origin of the entries.
  var source = CSVMapping.usualSource
  var quantities: [Quantity] = []
  /// The columns of a table with a row for each quantity.
  var metricColumn: [String] = []
  var quantityColumn: [String] = []
  var unitColumn: [String] = []
  /// Units that a person has given for numbers without one.
  var givenUnits: [UnitName] = []
  var date: [String] = []
  /// Other columns whose names suit a date equally well.
  var otherDates: [String] = []
  /// A column of timestamps beside one of dates.
  var timestamp: [String] = []
  var time: [String] = []
  var zone: [String] = []
  var id: [String] = []
  var notes: [String] = []
  /// The columns of a session's start and end: `sleep_hours` of such a row is a session.
  var session: Period?
  /// A column of origins, one an entry.
  var sourceColumn: [String] = []
  var dateFormat: DateFormat?
  var timeFormat: DateFormat?
  var decimal: NumberStyle.Mark?
  var times = Times.local
  /// `nil`: foods of a moment are summed, other rows must be equal.
  var sameMoment: SameMoment?
  var conditions: [Condition] = []
  /// Whether the date of several rows is in a row of its own above them.
  var isDateAbove = false
  /// Whether only a table with the date in its first column is meant, and with no other date.
  var isDateFirst = false
  /// What stands for no value, besides nothing and dashes.
  var missing: [String] = []
  /// Whether the columns of ids and times are guessed by their names, so that rows may show otherwise.
  var guessesRoles = false
  /// Whether names are compared exactly, as a person gives them.
  var isExact = false
  /// Whether a person named the column of quantities, and so left out the others knowingly.
  var isNamed = false
}

extension CSVRules {
  /// Reads a rules file: a line a rule, `#` begins a comment.
  ///
  /// - Throws: ``ImportError`` that names the line.
  package init(parsing text: String, name: String) throws(ImportError) {
    self.name = name
    vendor = name
    source = name
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = String(line.prefix { $0 != "#" }).trimmingSpaces
      guard !line.isEmpty else { continue }
      let word = line.prefix { !$0.isWhitespace }
      let value = String(line.dropFirst(word.count)).trimmingSpaces
      guard !value.isEmpty, try take(String(word), value) else {
        throw ImportError(
          .unfit, "line \(index + 1) of the rules '\(name)' is \(quoted(line)), which is not a rule"
        )
      }
    }
    let hasQuantity = !quantities.isEmpty || (!metricColumn.isEmpty && !quantityColumn.isEmpty)
    guard !date.isEmpty || (isDateAbove && !time.isEmpty), hasQuantity else {
      throw ImportError(
        .unfit,
        "the rules '\(name)' need a line 'date', and a line 'quantity' or the lines 'metric-column' "
          + "and 'quantity-column'")
    }
  }

  /// - Returns: false for an unknown rule.
  private mutating func take(_ word: String, _ value: String) throws(ImportError) -> Bool {
    switch word {
    case "vendor": vendor = value
    case "source": source = value
    case "header": header += value.split(separator: ",").map { Self.names(String($0)) }
    case "date": date = Self.names(value)
    case "time": time = Self.names(value)
    case "zone": zone = Self.names(value)
    case "id": id = Self.names(value)
    case "notes": notes = Self.names(value)
    case "source-column": sourceColumn = Self.names(value)
    case "metric-column": metricColumn = Self.names(value)
    case "quantity-column": quantityColumn = Self.names(value)
    case "unit-column": unitColumn = Self.names(value)
    case "date-format": dateFormat = try DateFormat(value)
    case "time-format": timeFormat = try DateFormat(value)
    case "decimal":
      decimal = NumberStyle.Mark(rawValue: value)
      return decimal != nil
    case "missing": missing = Self.names(value)
    case "date-above": isDateAbove = value == "yes"
    case "date-first": isDateFirst = value == "yes"
    case "times": return set(&times, value)
    case "same-moment": return set(&sameMoment, value)
    case "session":
      // A name may have the word, as `Went to bed`.
      guard let split = value.ranges(of: " to ").last else { return false }
      session = Period(
        start: Self.names(String(value[..<split.lowerBound])),
        end: Self.names(String(value[split.upperBound...])))
    case "if":
      guard let condition = Self.condition(value) else { return false }
      conditions.append(condition)
    case "quantity":
      let metric = value.prefix { $0 != "=" }
      if Metric(name: String(metric).trimmingSpaces) == nil, metric.count < value.count {
        throw ImportError(
          .unfit,
          "the rules '\(name)' name the metric \(quoted(String(metric).trimmingSpaces)), which is unknown; "
            + "metrics are \(Metric.allCases.map(\.name).joined(separator: ", "))")
      }
      guard let quantity = Self.quantity(value) else { return false }
      quantities.append(quantity)
    default: return false
    }
    return true
  }

  private func set<Value: RawRepresentable<String>>(_ member: inout Value, _ text: String) -> Bool {
    guard let value = Value(rawValue: text) else { return false }
    member = value
    return true
  }

  private func set<Value: RawRepresentable<String>>(_ member: inout Value?, _ text: String) -> Bool
  {
    member = Value(rawValue: text)
    return member != nil
  }

  private static func names(_ text: String) -> [String] {
    text.split(separator: "|").map { String($0).trimmingSpaces }
  }

  /// `Type is steps | walking`.
  private static func condition(_ text: String) -> Condition? {
    guard let split = text.firstRange(of: " is ") else { return nil }
    return Condition(
      columns: names(String(text[..<split.lowerBound])),
      values: names(String(text[split.upperBound...])))
  }

  /// `weight = Weight | Gewicht in kg if Type is body`; `in kg or lb` if the file does not say.
  private static func quantity(_ text: String) -> Quantity? {
    guard let equals = text.firstIndex(of: "="),
      let metric = Metric(name: String(text[..<equals]).trimmingSpaces)
    else { return nil }
    var columns = String(text[text.index(after: equals)...])
    var quantity = Quantity(metric: metric, columns: [])
    if let split = columns.firstRange(of: " if ") {
      guard let condition = condition(String(columns[split.upperBound...])) else { return nil }
      quantity.condition = condition
      columns = String(columns[..<split.lowerBound])
    }
    if let split = columns.firstRange(of: " in ") {
      let words = columns[split.upperBound...].split(separator: " or ")
      let units = words.compactMap { UnitName(String($0).trimmingSpaces) }
      if !units.isEmpty {
        let suffixes = units.compactMap { $0.suffix(for: metric) }
        guard suffixes.count == words.count else { return nil }
        if suffixes.count == 1 { quantity.unit = suffixes[0] } else { quantity.units = suffixes }
        columns = String(columns[..<split.lowerBound])
      }
    }
    quantity.columns = names(columns)
    return quantity.columns.isEmpty ? nil : quantity
  }
}

extension CSVRules {
  /// The rules of a mapping by a person, who names columns exactly.
  init(_ mapping: CSVMapping) {
    quantities = [
      Quantity(metric: mapping.metric, columns: [mapping.quantity], unit: mapping.unitOfMetric)
    ]
    date = [mapping.date]
    time = mapping.time.map { [$0] } ?? []
    notes = mapping.notes.map { [$0] } ?? []
    zone = mapping.zone.map { [$0] } ?? []
    id = mapping.id.map { [$0] } ?? []
    dateFormat = mapping.dateFormat
    timeFormat = mapping.timeFormat
    decimal = mapping.decimalMark
    conditions = mapping.conditions.map(Condition.init)
    source = mapping.source
    (isExact, isNamed) = (true, true)
  }
}

extension CSVRules.Condition {
  fileprivate init(_ condition: CSVMapping.Condition) {
    self.init(columns: [condition.column], values: [condition.value], isByPerson: true)
  }
}

extension CSVRules {
  /// The rules with the options of a person, who knows the file better.
  package func adjusted(by mapping: CSVMapping, source: String?) -> CSVRules {
    var rules = self
    if mapping.time != nil || mapping.id != nil { rules.guessesRoles = false }
    if mapping.time != nil, rules.session?.isGuess == true { rules.session = nil }
    if let time = mapping.time { rules.time = [time] }
    if let notes = mapping.notes { rules.notes = [notes] }
    if let zone = mapping.zone { rules.zone = [zone] }
    if let id = mapping.id { rules.id = [id] }
    if let format = mapping.dateFormat { rules.dateFormat = format }
    if let format = mapping.timeFormat { rules.timeFormat = format }
    if let mark = mapping.decimalMark { rules.decimal = mark }
    rules.conditions += mapping.conditions.map(Condition.init)
    rules.givenUnits = Self.units(mapping.unit)
    if let source { (rules.source, rules.sourceColumn) = (source, []) }
    return rules
  }

  private static func units(_ text: String?) -> [UnitName] {
    (text ?? "").split(separator: ",").compactMap { UnitName(String($0)) }
  }

  /// The first unit of a list such as `lb,mi` that no metric has; `nil` for none.
  package static func unknownUnit(in text: String) -> String? {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      .first { UnitName($0) == nil }
  }

  /// What a person has said about numbers of a metric: one option serves a file of several.
  func givenUnit(of metric: Metric) -> String? {
    givenUnits.lazy.compactMap { $0.suffix(for: metric) }.first
  }
}
