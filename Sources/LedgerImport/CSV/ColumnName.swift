import LedgerModel

/// A column's name taken apart: `Weight (lb)`, `weight_lbs` and `Gewicht [lb]` name a unit.
struct ColumnName: Hashable, Sendable {
  /// Lower case words without accents and without the unit, as in `body fat`.
  let base: String
  /// The same with a unit that is a word: `active minutes`.
  let words: String
  /// The unit as written; `nil` if the name has none.
  let unit: String?
  /// Whether the unit is in brackets, or the name's last word.
  let isUnitExplicit: Bool

  init(_ text: String) {
    let (name, bracketed) = Self.splitBrackets(String(text.prefix(Self.charactersAtMost)))
    var words = Self.words(name)
    self.words = words.joined(separator: " ")
    if let bracketed {
      base = words.joined(separator: " ")
      unit = bracketed
      isUnitExplicit = true
      return
    }
    if words.count > 2, let pair = UnitPair(words.suffix(2).joined(separator: " ")) {
      base = words.dropLast(2).joined(separator: " ")
      unit = pair.name
      isUnitExplicit = true
      return
    }
    if words.count > 1, let last = words.last,
      UnitName(last).map({ !$0.name.isEmpty })
        ?? (Self.unclearUnits.contains(last) || Self.unclearVolumes.contains(last)),
      last != "in" || words.first != "calories"
    {
      words.removeLast()
      if words.count > 1, Self.linkWords.contains(words[words.count - 1]) { words.removeLast() }
      base = words.joined(separator: " ")
      unit = last
      isUnitExplicit = true
      return
    }
    base = words.joined(separator: " ")
    unit =
      words.first { Self.durationWords.contains($0) }
      ?? words.first.flatMap { first in
        let isOnlyOne = words.dropFirst().allSatisfy { UnitName($0)?.name.isEmpty ?? true }
        return words.count > 1 && isOnlyOne && Self.leadingUnits.contains(first) ? first : nil
      }
    isUnitExplicit = false
  }

  /// A header of the wrong delimiter, or of no table, is one long name.
  private static let charactersAtMost = 200
  /// A pound in English programs, half a kilogram in German shops.
  private static let unclearUnits: Set<String> = ["pfund", "pfd"]
  /// The US and Britain have their own.
  static let unclearVolumes: Set<String> = ["pint", "pints", "gallon", "gallons", "gal"]
  private static let linkWords: Set<String> = ["in", "en", "em"]
  /// Units of time may come first, as in `minutes asleep`.
  private static let durationWords: Set<String> = [
    "seconds", "minutes", "hours", "sekunden", "minuten", "stunden", "segundos", "minutos", "horas",
    "secondes", "heures",
  ]

  /// Other units that may come first, as in `miles walked`.
  private static let leadingUnits: Set<String> = ["miles", "pounds", "kilometers", "kilometres"]

  /// `Weight (lb)` and `Weight [lb]` without and with what the brackets hold.
  private static func splitBrackets(_ text: String) -> (name: String, unit: String?) {
    let text = text.trimmingSpaces
    for (opening, closing) in [("(", ")"), ("[", "]")] as [(Character, Character)] {
      guard text.last == closing, let start = text.lastIndex(of: opening),
        start > text.startIndex
      else { continue }
      let inside = String(text[text.index(after: start)...].dropLast()).trimmingSpaces
      if !inside.isEmpty { return (String(text[..<start]), inside) }
    }
    return (text, nil)
  }

  /// Lower case words without accents: `bodyFat%`, `body_fat_%` and `Body fat %` are the same.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var lastWasLower = false
    func isWordCharacter(_ character: Character) -> Bool {
      character.isLetter || character.isNumber
    }
    for character in text {
      if !isWordCharacter(character) || (character.isUppercase && lastWasLower) {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if character == "%" { words.append("%") }
      if isWordCharacter(character) { word += Self.folded(character) }
      lastWasLower = character.isLowercase
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static func folded(_ character: Character) -> String {
    let lower = character.lowercased()
    return accents[lower] ?? lower
  }

  private static let accents: [String: String] = [
    "ä": "a", "á": "a", "à": "a", "â": "a", "ã": "a", "å": "a", "é": "e", "è": "e", "ê": "e",
    "ë": "e", "í": "i", "ì": "i", "î": "i", "ï": "i", "ö": "o", "ó": "o", "ò": "o", "ô": "o",
    "õ": "o", "ü": "u", "ú": "u", "ù": "u", "û": "u", "ç": "c", "ñ": "n", "ß": "ss", "œ": "oe",
  ]
}

/// A unit by the names that programs give it, as ``Quantity`` calls it.
struct UnitName: Hashable, Sendable {
  /// As ``Quantity`` calls it; empty for a plain number.
  let name: String

  /// - Returns: `nil` if no metric has such a unit.
  init?(_ text: String) {
    // The large calorie; the small one is a thousandth of it.
    var text = text == "Cal" ? "kcal" : text.lowercased().filter { $0 != "." && $0 != " " }
    if text == "%" || Self.plain.contains(text) {
      name = text == "%" ? "%" : ""
      return
    }
    text = ColumnName.words(text).joined()
    if let known = Self.other[text] {
      name = known
    } else if Self.known.contains(text) {
      name = text
    } else {
      return nil
    }
  }

  /// The text that ``Quantity`` reads behind a number of a metric.
  ///
  /// - Returns: `nil` if the metric has no such unit.
  func suffix(for metric: Metric) -> String? {
    if name.isEmpty { return metric.unit.isEmpty ? "" : nil }
    if name == "bpm" || name == "%" { return metric.unit == name ? "" : nil }
    // An ounce of water to drink is a fluid ounce.
    if name == "oz", metric == .waterLiters { return "floz" }
    return Quantity.unitNames(of: metric).contains(name) ? name : nil
  }

  private static let known = Set(Metric.allCases.flatMap { Quantity.unitNames(of: $0) })
    .subtracting(["kilo", "kilos", "cup", "cups", "foot", "feet", "'", "\""])
    .union(["feet", "cups"])

  private static let plain: Set<String> = [
    "count", "steps", "schritte", "pasos", "pas", "passos", "kg/m2", "kg/m²",
  ]

  /// Other languages, and forms that ``Quantity`` does not read.
  private static let other: [String: String] = [
    "std": "h", "stunde": "h", "stunden": "h", "hora": "h", "horas": "h", "heure": "h",
    "heures": "h", "minute": "min", "minuten": "min", "minuto": "min", "minutos": "min",
    "sek": "s", "sekunden": "s", "segundos": "s", "secondes": "s", "sec": "s", "secs": "s",
    "second": "s", "seconds": "s", "millis": "ms", "millisecond": "ms", "milliseconds": "ms",
    "gramm": "g", "gramo": "g", "gramos": "g", "grama": "g", "gramas": "g", "gram": "g",
    "grams": "g", "gramme": "g", "grammes": "g", "kilogramm": "kg", "kilogramos": "kg",
    "kilogramas": "kg", "kilogrammes": "kg", "libra": "lb", "libras": "lb", "livres": "lb",
    "meter": "m", "meters": "m", "metre": "m", "metres": "m", "metros": "m", "kilometer": "km",
    "kilometers": "km", "kilometre": "km", "kilometres": "km", "kilometros": "km", "milla": "mi",
    "millas": "mi", "meilen": "mi", "centimeter": "cm", "centimeters": "cm", "zentimeter": "cm",
    "kilojoule": "kj", "kilojoules": "kj", "kilocalories": "kcal", "kilokalorien": "kcal",
    "kilocalorias": "kcal", "milliliter": "ml", "milliliters": "ml", "mililitros": "ml",
    "litros": "l", "flozus": "floz", "bpm": "bpm", "lpm": "bpm", "smin": "bpm", "beatsmin": "bpm",
    "countmin": "bpm",
    "percent": "%", "prozent": "%", "pct": "%", "percentage": "%",
    "milles": "mi", "milha": "mi", "milhas": "mi", "meile": "mi", "yard": "yd", "yards": "yd",
    "yarda": "yd", "yardas": "yd", "jardas": "yd", "verges": "yd", "fuss": "ft", "pies": "ft",
    "pieds": "ft", "pes": "ft", "zoll": "in", "pulgadas": "in", "pouces": "in",
    "polegadas": "in", "unze": "oz", "unzen": "oz", "onza": "oz", "onzas": "oz", "onces": "oz",
    "oncas": "oz", "kilogramo": "kg", "kilogramme": "kg", "quilo": "kg", "quilos": "kg",
    "quilograma": "kg", "quilogramas": "kg", "metro": "m", "kilometro": "km",
    "quilometro": "km", "quilometros": "km", "centimetro": "cm", "centimetros": "cm",
    "centimetre": "cm", "centimetres": "cm", "kilojulios": "kj", "quilojoules": "kj",
    "kilocaloria": "kcal", "kilocalorie": "kcal", "kilokalorie": "kcal", "quilocalorias": "kcal",
    "litro": "l", "mililitro": "ml", "millilitre": "ml", "millilitres": "ml",
    "milligramm": "mg", "milligrams": "mg", "milligrammes": "mg", "miligramos": "mg",
    "miligramas": "mg", "segundo": "s", "sekunde": "s", "seconde": "s", "seg": "s",
    "ppm": "bpm", "batmin": "bpm", "schlagemin": "bpm", "latidosmin": "bpm",
    "battementsmin": "bpm", "pourcent": "%", "pourcentage": "%", "porcentaje": "%",
    "porcentagem": "%",
  ]
}

/// The scale of scores that a column's name says, as `1-10`, `1 to 5`, `out of 10` or `/10`.
private struct Scale {
  /// `nil` if only the highest score is named.
  let lowest: Int?
  let highest: Int

  init?(_ text: String) {
    let parts = text.lowercased().split { !$0.isNumber }.map { Int($0) }
    let between = text.lowercased().filter { !$0.isNumber && $0 != " " }
    let links =
      parts.count == 2
      ? ["-", "–", "—", "to", "bis", "..", "…", "/"]
      : parts.count == 1 ? ["/", "outof", "of", "von"] : []
    guard links.contains(between), let highest = parts.last ?? nil else { return nil }
    lowest = parts.count == 2 ? parts[0] : nil
    self.highest = highest
  }
}

/// The two units of a column whose cells have both: `Height (ft/in)`, `Weight (st lb)`.
struct UnitPair {
  private let larger: String
  private let smaller: String

  var name: String { "\(larger) \(smaller)" }

  /// - Returns: `nil` if no metric is written in two such units.
  init?(_ text: String) {
    let words = text.lowercased().split { !$0.isLetter && !Self.marks.contains($0) }
      .filter { $0 != "and" }
    guard words.count == 2 else { return nil }
    (larger, smaller) = (String(words[0]), String(words[1]))
    guard Metric.allCases.contains(where: fits) else { return nil }
  }

  /// - Parameter unit: the unit of a column; cheap for one that is no pair, since it is asked for each row.
  init?(unit: String) {
    guard unit.utf8.contains(UInt8(ascii: " ")) else { return nil }
    self.init(unit)
  }

  private static let marks: Set<Character> = ["'", "\"", "’", "”", "′", "″"]

  func fits(_ metric: Metric) -> Bool { Quantity.arePair(larger, smaller, of: metric) }

  /// The text of a cell with both units, as ``Quantity`` reads it: `5 11` is `5ft 11in`.
  ///
  /// - Returns: `nil` for a number alone, which may be in either unit.
  func quantity(_ text: String) -> String? {
    let numbers = text.split { " /-".contains($0) }
    guard numbers.count <= 2, numbers.allSatisfy({ $0.allSatisfy { $0.isNumber || $0 == "." } })
    else { return text }
    return numbers.count == 2 ? "\(numbers[0])\(larger) \(numbers[1])\(smaller)" : nil
  }
}

extension ColumnName {
  /// What a bare number of the column is in, for ``Quantity``.
  ///
  /// - Parameter isChosen: whether a person has named the column for the metric.
  /// - Returns: `nil` for the metric's own unit.
  /// - Throws: ``ImportError`` for a unit that the metric does not have: it must not be taken for the
  ///   metric's own.
  func unit(
    for metric: Metric, named column: String, in file: String, isChosen: Bool = false
  ) throws(ImportError) -> String? {
    guard let unit else { return unitAsName(of: metric) }
    if let suffix = Self.unit(unit, of: metric) { return suffix.isEmpty ? nil : suffix }
    let found = UnitName(unit)
    // The last word of `resting hr` belongs to the name.
    guard isUnitExplicit, base == words || ColumnWords.metrics[words] != metric else { return nil }
    let known = Quantity.shortUnitNames(of: metric)
    if metric.unit.isEmpty, found == nil {
      if metric == .moodScore, let scale = Scale(unit) {
        let (lowest, highest) = (Int(metric.range.lowest), Int(metric.range.highest))
        if scale.highest == highest, scale.lowest ?? lowest == lowest { return nil }
        throw ImportError(
          .unfit,
          "\(file): the column '\(column)' has another scale than \(metric.name), which is \(lowest) to "
            + "\(highest); convert its numbers, and call it '\(base)'")
      }
      if isChosen || Self.remarks.contains(unit.lowercased()) { return nil }
      throw ImportError(
        .unfit,
        "\(file): the column '\(column)' says '\(unit)', and it is not clear that it is \(metric.name)",
        asking: ImportQuestion(.columns))
    }
    if metric == .weight, Self.unclearUnits.contains(unit.lowercased()) {
      throw ImportError(
        .unfit,
        "\(file): the column '\(column)' is in '\(unit)', which can be 453.6 g or 500 g; call it "
          + "'\(base) (lb)' if it is the first, else convert its numbers to kg")
    }
    if metric == .waterLiters, Self.unclearVolumes.contains(unit.lowercased()) {
      throw ImportError(
        .unfit,
        "\(file): the column '\(column)' is in '\(unit)', which are not the same in the US and in Britain; "
          + "convert its numbers, and call it '\(base) (l)'")
    }
    let question = found == nil ? ImportQuestion(.columns) : ImportQuestion(.unit, known)
    let takes =
      known.isEmpty ? "which is a plain number" : "which takes \(known.joined(separator: ", "))"
    throw ImportError(
      .unfit,
      "\(file): the column '\(column)' is in '\(unit)', which is not a unit of \(metric.name), \(takes)",
      asking: question)
  }

  /// Whether the unit that the name says is one, but only of other metrics.
  func isInUnitOfOthers(than metric: Metric) -> Bool {
    guard let unit, isUnitExplicit, ClockUnit(named: unit) == nil, UnitPair(unit) == nil,
      let found = UnitName(unit)
    else { return false }
    return found.suffix(for: metric) == nil
  }

  /// Whether brackets hold words that are no unit and may name another quantity, as `Weight (target)`.
  func hasUnclearWords(of metric: Metric) -> Bool {
    guard let unit, isUnitExplicit, base == words || ColumnWords.metrics[words] != metric,
      !Self.remarks.contains(unit.lowercased())
    else { return false }
    return ClockUnit(named: unit) == nil && UnitPair(unit) == nil && UnitName(unit) == nil
  }

  /// Remarks in brackets that leave a number as it is; `Steps (goal)` and `Steps (thousands)` do not.
  private static let remarks: Set<String> = [
    "total", "totals", "sum", "all", "daily", "per day", "a day", "day", "number", "no", "no.", "#",
    "n", "amount", "count", "score", "rating", "self-rated", "calculated", "value", "gesamt",
    "summe", "anzahl",
    "am tag",
  ]

  /// The unit of a metric that the name says, for ``Quantity``; `nil` for none, and for one that the
  /// metric does not have.
  func statedUnit(of metric: Metric) -> String? {
    if let unit { return UnitName(unit)?.suffix(for: metric) }
    // A column `m` may be called after miles.
    return words.count > 1 ? unitAsName(of: metric) : nil
  }

  /// What bare numbers of a metric are in if a text is their unit, for ``Quantity``; empty for the
  /// metric's own.
  ///
  /// - Returns: `nil` for a unit that the metric does not have.
  static func unit(_ text: String, of metric: Metric) -> String? {
    if let clock = ClockUnit(named: text), metric == .sleepHours || metric == .activeMinutes {
      return clock.rawValue
    }
    if let pair = UnitPair(text), pair.fits(metric) { return pair.name }
    return UnitName(text)?.suffix(for: metric)
  }

  /// The unit that the whole name is, as of a column `Lbs`.
  private func unitAsName(of metric: Metric) -> String? {
    if Quantity.unitNames(of: metric).contains(words) { return words }
    return UnitName(words)?.suffix(for: metric).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The words beside a unit of the metric, and that unit: `weight` and `st` of `Weight (st)`, `slept` and
  /// `hours` of `Hours slept`, and no words of `lbs`.
  ///
  /// - Returns: `nil` if the name has no such unit.
  func takingUnit(of metric: Metric) -> (words: String, unit: String)? {
    if isUnitExplicit { return statedUnit(of: metric).map { (base, $0) } }
    var words = words.split(separator: " ").map(String.init)
    for (place, word) in words.enumerated() {
      guard let unit = UnitName(word)?.suffix(for: metric), !unit.isEmpty else { continue }
      words.remove(at: place)
      return (words.joined(separator: " "), unit)
    }
    return nil
  }

  /// Whether bare numbers of the column may be in any unit of the metric.
  func namesNoUnit(of metric: Metric) -> Bool { unit == nil && unitAsName(of: metric) == nil }
}

extension ColumnName {
  /// The zone that the name of a column of dates or times says, as `Date (UTC)`, `Date (EST)`,
  /// `Date (Europe/Madrid)` or `timestamp_utc`; it may be that of several places.
  var zoneText: String? {
    guard let unit else { return withoutZone == words ? nil : "UTC" }
    let isZone =
      WrittenZone.cell(unit) != nil || NamedZone(unit) != nil
      || Self.unclearZones.contains(unit.lowercased())
    return isZone ? unit : nil
  }

  private static let unclearZones: Set<String> = [
    "ist", "cst", "bst", "ast", "et", "ct", "mt", "pt", "eastern", "central", "mountain", "pacific",
    "eastern time", "central time", "mountain time", "pacific time",
  ]

  /// ``words`` without `utc` or `gmt` at the end or the beginning.
  var withoutZone: String {
    for zone in ["utc", "gmt"] {
      if words.hasSuffix(" " + zone) { return String(words.dropLast(4)) }
      if words.hasPrefix(zone + " ") { return String(words.dropFirst(4)) }
    }
    return words
  }

  /// The order of a pattern in the name of a column of dates, as `Date (dd/mm/yyyy)`,
  /// `Datum (TT.MM.JJJJ)` or `Date (JJ/MM/AAAA)`.
  var statedOrder: DayOrder? { unit.flatMap(Self.dayOrder) }

  /// The order of a pattern such as `dd/mm/yyyy`.
  static func dayOrder(ofPattern pattern: String) -> DayOrder? {
    let parts = pattern.lowercased().split { !$0.isLetter }
    guard parts.count >= 3, parts.allSatisfy({ Set($0).count == 1 }),
      let month = parts.prefix(3).firstIndex(where: { $0.first == "m" }),
      let year = parts.prefix(3).firstIndex(where: {
        $0.count == 4 || $0.first == "y" || $0.first == "a"
      })
    else { return nil }
    switch (month, year) {
    case (1, 2): return .dayFirst
    case (0, 2): return .monthFirst
    case (1, 0): return .yearFirst
    default: return nil
    }
  }
}
