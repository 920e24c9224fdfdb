import LedgerJSON
import LedgerModel

/// Whether a file writes decimals with a point or a comma.
///
/// One number decides if it has only one reading: `75,3` has a decimal comma, `1,234.5` a decimal
/// point, and `1,825` steps are no fraction. All rows are looked at before any is read.
struct NumberStyle: Hashable, Sendable {
  enum Mark: String, Hashable, Sendable { case point, comma }

  /// The decimal mark; `nil` if numbers such as `1,234` can be read in two ways.
  var mark: Mark?
  /// The first number with two readings.
  var ambiguous: String?

  /// The readings of ``ambiguous``, as a message names them.
  var readings: String {
    let shape = ambiguous.flatMap { NumberShape($0) }
    return [NumberStyle.Mark.point, .comma].compactMap { shape?.text(decimal: $0) }
      .joined(separator: " or ")
  }

  /// A bare number; `nil` for other text.
  func value(_ text: String) -> Double? {
    guard let shape = NumberShape(text) else { return nil }
    return shape.text(decimal: mark ?? shape.decimal ?? .point).flatMap { Double($0) }
  }
}

/// Decides the decimal mark from all numbers of a file, its delimiter and its dates.
struct NumberSurvey {
  /// Devices count more in a day than a person can be expected to enter.
  private static let deviceRatio = 2.0

  private struct Counts {
    var points = 0
    var commas = 0
  }

  /// How many numbers show their decimal mark.
  private var shown = Counts()
  /// How many are a quantity of a person in one reading only.
  private var plausible = Counts()
  private var ambiguous: String?
  private var ambiguousMark = NumberStyle.Mark.point
  /// Numbers whose mark must group thousands: steps, and energy that would be too small with a decimal mark.
  private var expected = Counts()
  private var grouped: String?
  /// Kilocalories.
  private static let leastEnergy = 10.0

  mutating func add(_ text: String, for metric: Metric, unit: String?) {
    if isDigits(text) { return }
    guard let shape = NumberShape(text) else { return }
    // Of `11st 9.5` the second number may have a decimal mark, too.
    if let second = shape.second { add(second, for: metric, unit: nil) }
    switch shape.decimal {
    case .point?: shown.points += 1
    case .comma?: shown.commas += 1
    case nil:
      guard shape.isAmbiguous else { return }
      settle(shape, text, metric, unit)
    }
  }

  /// A reading that is no quantity of a person leaves the other one.
  private mutating func settle(
    _ shape: NumberShape, _ text: String, _ metric: Metric, _ unit: String?
  ) {
    var decimal = Double.infinity
    let thousands = unit == nil || unit == metric.unit ? shape.thousands : nil
    func value(_ mark: NumberStyle.Mark) -> Double? {
      if let thousands { return Double(thousands) / (mark == shape.onlyMark ? 1000 : 1) }
      return shape.text(decimal: mark).flatMap {
        try? Quantity.parse($0 + (unit ?? ""), for: metric)
      }
    }
    func fits(_ mark: NumberStyle.Mark) -> Bool {
      guard let value = value(mark), metric.accepts(value),
        value <= metric.usualRange.upperBound * Self.deviceRatio
      else { return false }
      // A count has no three decimals.
      if metric == .steps { return mark != shape.onlyMark }
      if [.caloriesIn, .caloriesOut].contains(metric), mark == shape.onlyMark { decimal = value }
      return true
    }
    let readings = (fits(.point), fits(.comma))
    if metric == .steps || decimal < Self.leastEnergy {
      if grouped == nil { grouped = text }
      if shape.onlyMark == .comma { expected.points += 1 } else { expected.commas += 1 }
    }
    switch readings {
    case (true, false): plausible.points += 1
    case (false, true): plausible.commas += 1
    default: if ambiguous == nil { (ambiguous, ambiguousMark) = (text, shape.onlyMark) }
    }
  }

  /// A number with one reading decides; else the locale that delimiter and dates show.
  func style(delimiter: UInt8, _ dates: DateSurvey) -> NumberStyle {
    if shown.points > 0 && expected.commas > 0 || shown.commas > 0 && expected.points > 0 {
      return NumberStyle(mark: nil, ambiguous: grouped)
    }
    for counts in [shown, plausible] where counts.points + counts.commas > 0 {
      if counts.points == 0 { return NumberStyle(mark: .comma) }
      return NumberStyle(mark: counts.commas == 0 ? .point : nil, ambiguous: ambiguous)
    }
    if ambiguous == nil { return NumberStyle(mark: .point) }
    return NumberStyle(
      mark: hasCommaLocale(delimiter, dates) ? .comma : nil, ambiguous: ambiguous)
  }

  /// Spreadsheets use semicolons where decimals have a comma. So does software in any country, but it
  /// writes decimal points and the year first.
  private func hasCommaLocale(_ delimiter: UInt8, _ dates: DateSurvey) -> Bool {
    switch delimiter {
    case UInt8(ascii: ";"): ambiguousMark == .comma || dates.areLocal
    case UInt8(ascii: "\t"): dates.hasPoints
    default: false
    }
  }
}

/// How a column of durations is written, as its name says: `Sleep (hh:mm)`.
enum ClockUnit: String {
  case hours = "hh:mm"
  case minutes = "mm:ss"

  init?(named text: String) {
    switch text.lowercased() {
    case "hh:mm", "h:mm", "hh:mm:ss", "h:mm:ss": self = .hours
    case "mm:ss", "m:ss": self = .minutes
    default: return nil
    }
  }

  /// The seconds of `7:30` or `7:30:15`.
  func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { isDigits(String($0)) ? Int($0) : nil }
    guard numbers.count == parts.count, parts.count == 2 || (parts.count == 3 && self == .hours),
      parts.dropFirst().allSatisfy({ $0.count == 2 }), numbers[0] < 10_000,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    let first = self == .hours ? 3600 : 60
    return Double(
      numbers[0] * first + numbers[1] * first / 60 + (numbers.count == 3 ? numbers[2] : 0))
  }
}

/// Reads the cells of a column of quantities.
struct QuantityReader {
  let style: NumberStyle
  /// Numbers with more digits than a log holds, so far.
  private(set) var rounded = 0

  init(_ style: NumberStyle) { self.style = style }

  /// - Parameters:
  ///   - text: trimmed and not empty.
  ///   - unit: the unit of bare numbers; `nil` for the metric's own.
  mutating func read(
    _ text: String, unit: String?, for metric: Metric, in column: String
  ) throws(RowFault) -> Double {
    guard text.utf8.count <= 64 else {
      throw RowFault(
        "\(column) is \(quoted(text)); that is not a number", kind: "\(column) is not a number")
    }
    if unit == nil || unit == metric.unit, style.mark == .point || isDigits(text),
      let value = PlainNumber.value(text)
    {
      return value
    }
    if let clock = unit.flatMap({ ClockUnit(named: $0) }) {
      guard let seconds = clock.seconds(text), let value = try Self.hours(seconds, metric) else {
        throw RowFault(
          "\(column) is \(quoted(text)), which is not spelt \(clock.rawValue)",
          kind: "\(column) is not spelt \(clock.rawValue)")
      }
      return value
    }
    if let pair = unit.flatMap({ UnitPair(unit: $0) }) {
      return try read(text, pair, metric, column)
    }
    if let larger = unit ?? Self.largerUnits[metric], let pair = twoNumbers(text, larger, metric) {
      guard unit != nil else {
        throw RowFault(
          "\(column) is \(quoted(text)), two numbers without a unit",
          kind: "\(column) has numbers without a unit", asking: ImportQuestion(.unit, [larger]))
      }
      return try read(text, pair, metric, column)
    }
    if metric == .sleepHours || metric == .activeMinutes, let seconds = Self.duration(text),
      let value = try Self.hours(seconds, metric)
    {
      return value
    }
    if metric == .activeMinutes, ClockUnit.minutes.seconds(text) != nil {
      throw RowFault(
        "\(column) is \(quoted(text)), which can be hours and minutes or minutes and seconds; write the "
          + "form into the column's name, as '\(column) (hh:mm)' or '\(column) (mm:ss)'",
        kind: "\(column) can be read in two ways")
    }
    guard text.first != "+" else {
      throw RowFault(
        "\(column) is \(quoted(text)), and a plus can mean a change; write the quantity without it",
        kind: "\(column) has a plus")
    }
    // `7,5` hours are usual, and `11,7` stones are not.
    let mayBeTwo =
      [.weight, .height].contains(metric)
      && unit.map {
        Quantity.smallerUnit(after: $0, of: metric) != nil
      } == true
    let plain = try decimalPoint(text, mayBeTwo: mayBeTwo, column)
    do {
      let (number, wasRounded) = Self.rounded(Self.translated(plain, for: metric))
      let value = try Quantity.parse(
        number + (unit.map { Self.hasUnit(number) ? "" : $0 } ?? ""), for: metric)
      if wasRounded { rounded += 1 }
      return value
    } catch {
      throw RowFault("\(column): \(error)", kind: error.kind(of: metric, in: column))
    }
  }

  private func read(
    _ text: String, _ pair: UnitPair, _ metric: Metric, _ column: String
  ) throws(RowFault) -> Double {
    guard let quantity = pair.quantity(text) else {
      throw RowFault(
        "\(column) is \(quoted(text)), which can be in either unit",
        kind: "\(column) has a number without a unit", asking: ImportQuestion(.unit))
    }
    do {
      return try Quantity.parse(quantity, for: metric)
    } catch {
      throw RowFault("\(column): \(error)", kind: error.kind(of: metric, in: column))
    }
  }

  /// The units before which bare numbers such as `11 8` have the larger one.
  private static let largerUnits: [Metric: String] = [
    .weight: "st", .height: "ft", .sleepHours: "h", .activeMinutes: "h",
  ]

  /// The units of two numbers without one, as `11 8` of stones.
  ///
  /// - Returns: `nil` for another text, and if no smaller unit follows the larger one.
  private func twoNumbers(_ text: String, _ larger: String, _ metric: Metric) -> UnitPair? {
    let numbers = text.split(separator: " ")
    // `1 234` is one number.
    guard numbers.count == 2, numbers.allSatisfy({ Double($0) != nil }), style.value(text) == nil,
      let smaller = Quantity.smallerUnit(after: larger, of: metric)
    else { return nil }
    return UnitPair("\(larger) \(smaller)")
  }

  /// Whether a number has its unit behind it, or between two numbers as in `12st 2`, or is a time.
  static func hasUnit(_ text: String) -> Bool {
    guard let last = text.last else { return false }
    return (!last.isNumber && last != ".")
      || text.utf8.contains { byte in
        // The letter of an exponent is no unit.
        byte == UInt8(ascii: ":") || (0x61...0x7A).contains(byte | 0x20) && byte | 0x20 != 0x65
      }
  }

  /// - Parameter mayBeTwo: whether a comma may separate two numbers, as in `11,7` of stones and pounds.
  private func decimalPoint(
    _ text: String, mayBeTwo: Bool, _ column: String
  ) throws(RowFault) -> String {
    guard let shape = NumberShape(text) else { return text }
    if mayBeTwo, style.mark == nil, shape.decimal == .comma {
      throw RowFault(
        "\(column) is \(quoted(text)); its comma can be decimal or separate two numbers",
        kind: "\(column) can be read in two ways")
    }
    guard let mark = shape.decimal ?? style.mark ?? (shape.isAmbiguous ? nil : .point) else {
      throw RowFault(
        "\(column) is \(quoted(text)); its mark can be decimal or group thousands",
        kind: "\(column) can be read in two ways")
    }
    if let number = shape.text(decimal: style.mark ?? mark) { return number }
    throw RowFault(
      "\(column) is \(quoted(text)), but this file writes decimals with a \(style.mark ?? mark)",
      kind: "\(column) has another decimal mark")
  }

  /// `1.5 litros`, `16 oz` of water and `7 horas 30 minutos` with the units as ``Quantity`` calls them.
  private static func translated(_ text: String, for metric: Metric) -> String {
    guard let start = text.firstIndex(where: \.isLetter) else { return text }
    let number = String(text[..<start]).trimmingSpaces
    let rest = text[start...]
    if let suffix = UnitName(String(rest))?.suffix(for: metric) { return number + suffix }
    guard let second = rest.firstIndex(where: { $0.isASCII && $0.isNumber }),
      case let unit = rest[..<second],
      Self.isWords(unit), let larger = UnitName(String(unit))?.suffix(for: metric)
    else { return text }
    return number + larger + " " + translated(String(rest[second...]), for: metric)
  }

  /// Whether it is letters and spaces, and a point at most behind an abbreviation: another mark belongs to
  /// the number that follows, or means something else.
  private static func isWords(_ text: Substring) -> Bool {
    let words = text.split(separator: " ")
    return text.last != "."
      && words.enumerated().allSatisfy { place, word in
        let letters = place == words.count - 1 && word.last == "." ? word.dropLast() : word
        return !letters.isEmpty && letters.allSatisfy(\.isLetter)
      }
  }

  /// `52.59999847412109375` with the digits that a log holds.
  private static func rounded(_ text: String) -> (text: String, wasRounded: Bool) {
    let end = text.firstIndex { !($0.isNumber || "+-.eE".contains($0)) } ?? text.endIndex
    let number = text[..<end]
    let digits = number.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
    guard digits.count > JSONNumber.mostDigits, let value = Double(number), value.isFinite,
      value.magnitude < JSONNumber.largestMagnitude, let kept = JSONNumber.writable(value)
    else { return (text, false) }
    return (JSONNumber.text(kept) + text[end...], true)
  }

  /// The seconds of `00:22:38`, `7:30:00.0` or `1h 5m`.
  private static func duration(_ text: String) -> Double? {
    guard text.contains(":") else { return spelledDuration(text) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]),
      let seconds = Double(parts[2]), hours >= 0, (0..<60).contains(minutes),
      (0..<60).contains(seconds),
      parts[1].count == 2
    else { return nil }
    return Double(hours * 3600 + minutes * 60) + seconds
  }

  /// `45m`, `1h 5m` or `1h 5m 10s`: the units descend.
  private static func spelledDuration(_ text: String) -> Double? {
    var seconds = 0
    var last = Int.max
    for part in text.split(separator: " ") {
      let digits = part.prefix { $0.isASCII && $0.isNumber }
      let factor = ["h": 3600, "m": 60, "min": 60, "s": 1][part.dropFirst(digits.count)]
      guard let factor, factor < last, let number = Int(digits), number < 100_000 else {
        return nil
      }
      seconds += number * factor
      last = factor
    }
    return last == Int.max ? nil : Double(seconds)
  }

  /// A duration in the metric's unit; `nil` if it measures no time.
  private static func hours(_ seconds: Double, _ metric: Metric) throws(RowFault) -> Double? {
    let value: Double
    switch metric {
    case .sleepHours: value = seconds / 3600
    case .activeMinutes: value = seconds / 60
    default: return nil
    }
    return JSONNumber.writable(value)
  }
}
