import LedgerJSON
package import LedgerModel

/// A quantity on the command line, in one or more words: `75.5`, `165lb`, `165 lb`, `5 ft 11 in`.
package struct Amount {
  /// In the metric's own unit.
  package let quantity: Double
  package let metric: Metric
  let typed: String

  package init(words: [String], of metric: Metric) throws {
    guard let first = words.first else { throw UsageError.missingArgument("QUANTITY") }
    if words.count == 1 {
      try self.init(first, of: metric)
      return
    }
    let isFluidOunce = words.dropFirst().prefix(2).map { $0.lowercased() } == ["fl", "oz"]
    let isInTwoUnits = words.count == 4 && words[2].utf8.first.map(isDigit) == true
    let taken = isFluidOunce ? 3 : isInTwoUnits ? 4 : 2
    guard words.count <= taken else { throw UsageError.extraArgument(words[taken]) }
    try self.init(words.joined(separator: " "), of: metric)
  }

  package init(_ text: String, of metric: Metric) throws(Refusal) {
    try Self.refuseGroups(text, of: metric)
    // The parser would report the text after the comma as an unknown unit.
    guard !text.contains(",") else {
      let meant = Self.withoutCommas(text, metric)
      if metric == .steps, meant[0].contains("."), let part = Double(meant[0]) {
        throw Self.notWhole(text, JSONNumber.text(part.rounded()))
      }
      throw Refusal(
        .malformed, field: "quantity", value: text,
        "quantity is \"\(text)\"; write it with a point and without commas, as "
          + meant.joined(separator: " or "))
    }
    let grouped = Self.withoutGrouping(text, metric)
    if let grouped, metric != .steps || Self.isWhole(Double(grouped.small)) {
      throw Refusal(
        .malformed, field: "quantity", value: text,
        "quantity is \"\(text)\", which can be read in two ways; write \(grouped.small) or "
          + "\(grouped.large)")
    }
    do {
      quantity = try Quantity.parse(text, for: metric)
    } catch {
      throw Self.withAdvice(error, text, metric)
    }
    guard metric != .steps || Self.isWhole(quantity) else {
      throw Self.notWhole(text, grouped?.large ?? JSONNumber.text(quantity.rounded()))
    }
    typed = text
    self.metric = metric
  }

  /// Refuses `1 000`, which a shell makes two words of, and `1'000`.
  fileprivate static func refuseGroups(_ text: String, of metric: Metric) throws(Refusal) {
    let isBlank = { (character: Character) in
      " \u{A0}\u{202F}\u{2009}'’".contains(character)
    }
    let number = text.prefix { $0.isASCII && $0.isNumber || isBlank($0) }
    let groups = number.split(whereSeparator: isBlank)
    guard groups.count > 1, groups[0].count < 4, groups.dropFirst().allSatisfy({ $0.count == 3 })
    else { return }
    let rest = text.dropFirst(number.count)
    // `weight 80 120` are two values.
    guard let whole = try? Quantity.parse(groups.joined() + rest, for: metric),
      metric.accepts(whole)
    else { return }
    throw Refusal(
      .malformed, field: "quantity", value: text,
      "quantity is \"\(text)\"; write it without marks between the thousands, as \(groups.joined())\(rest)"
    )
  }

  private static func notWhole(_ text: String, _ example: String) -> Refusal {
    Refusal(
      .malformed, field: "quantity", value: text,
      "quantity is \"\(text)\"; steps are whole numbers, such as \(example)")
  }

  private static func isWhole(_ number: Double?) -> Bool {
    number.map { $0 == $0.rounded() } ?? false
  }

  /// What `10,234`, `82,4` and `1.234,5` can mean: of a point and a comma the later one is the decimal mark,
  /// and three digits after a lone comma may be thousands. A comma at the end means nothing.
  private static func withoutCommas(_ text: String, _ metric: Metric) -> [String] {
    let plain = text.filter { $0 != "," }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    if text.contains("."), let mark = text.lastIndex(where: { ".,".contains($0) }) {
      let decimals = text[text.index(after: mark)...]
      guard decimals.first?.isWholeNumber == true, text[mark] == "," else { return [plain] }
      return [text[..<mark].filter { !".,".contains($0) } + "." + decimals]
    }
    let decimals = parts[1].prefix { $0.isASCII && $0.isNumber }.count
    guard parts.count == 2, decimals != 3 || metric != .steps else { return [plain] }
    let pointed = parts.joined(separator: ".")
    guard decimals == 3 else { return [pointed] }
    let readings = [withoutGrouping(pointed, metric)?.small ?? pointed, plain]
    let usable = readings.filter {
      (try? Quantity.parse($0, for: metric)).map(metric.accepts) == true
    }
    return usable.isEmpty ? readings : usable
  }

  /// `10.000` steps are 10 in one country and ten thousand in another. Only of steps and energy, and of
  /// metres and millilitres: three decimals of another unit may be meant.
  private static func withoutGrouping(
    _ text: String, _ metric: Metric
  ) -> (small: String, large: String)? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count)
    switch metric {
    case .steps, .caloriesIn, .caloriesOut: break
    default:
      guard ["m", "ml"].contains(unit.filter { $0 != " " }.lowercased()) else { return nil }
    }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...3).contains(parts[0].count), parts[1].count == 3,
      let small = Double(number)
    else { return nil }
    let plain = JSONNumber.text(small)
    // Four decimals are no thousands.
    return ((plain == number ? plain + "0" : plain) + unit, parts.joined() + unit)
  }

  /// `1:15` as `1h 15min or 1.25min`.
  private static func withoutColon(_ text: String) -> String {
    let parts = text.split(separator: ":").map { Double($0) }
    guard parts.count == 2, let first = parts[0], let second = parts[1], second < 60 else {
      return "1h 15min or 1.25min"
    }
    let minutes = ((first + second / 60) * 100).rounded() / 100
    return
      "\(JSONNumber.text(first))h \(JSONNumber.text(second))min or \(JSONNumber.text(minutes))min"
  }

  /// How `5k` or `5000 steps`, and `3 glasses` of water, can be written; `nil` for other words.
  private static func inOtherWords(_ text: String, _ metric: Metric) -> String? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    var words = text.dropFirst(digits.count).lowercased().split(separator: " ").map(String.init)
    guard let number = Double(digits), !words.isEmpty else { return nil }
    if metric == .waterLiters, words.count == 1, let millilitres = vessels[words[0]] {
      guard number > 0, metric.accepts(number * millilitres / 1000) else { return nil }
      let volume = JSONNumber.text(number * millilitres)
      return
        "the volume of \(quoted(words[0])) is not known; if one has \(JSONNumber.text(millilitres)) ml, "
        + "write \(volume)ml"
    }
    let isCount = [.steps, .caloriesIn, .caloriesOut].contains(metric)
    if metric.unit.isEmpty, Metric(spoken: words.last ?? "") == metric { words.removeLast() }
    switch words {
    case ["/10"] where metric == .moodScore: return "write the number alone, \(digits)"
    case ["m"] where [.activeMinutes, .sleepHours].contains(metric):
      return "did you mean \(digits)min?"
    case ["calories"] where [.caloriesIn, .caloriesOut].contains(metric):
      return "did you mean \(digits)kcal?"
    case []: return "write the number alone, \(digits)"
    case ["k"], ["thousand"]:
      if isCount {
        let meant = (number * 1000).rounded()
        return metric.accepts(meant) ? "did you mean \(JSONNumber.text(meant))?" : nil
      }
      let unit: String? = [.weight: "kg", .distanceKM: "km"][metric]
      return words == ["k"] ? unit.map { "did you mean \(digits)\($0)?" } : nil
    default: return nil
    }
  }

  /// Usual volumes in millilitres, which differ.
  private static let vessels: [String: Double] = [
    "glass": 250, "glasses": 250, "mug": 300, "mugs": 300, "can": 330, "cans": 330, "bottle": 500,
    "bottles": 500,
  ]

  /// The refusal lists all units; appends the likely ones.
  private static func withAdvice(_ refusal: Refusal, _ text: String, _ metric: Metric) -> Refusal {
    if metric == .activeMinutes, text.contains(":") {
      var refusal = refusal
      refusal.description =
        "quantity is \"\(text)\", which can be hours and minutes or minutes and seconds; write "
        + withoutColon(text)
      return refusal
    }
    if metric == .sleepHours, text.contains(":") {
      let plain = text.filter { $0.isNumber || $0 == ":" }
      let unit = text.filter(\.isLetter)
      if (try? Quantity.parse("1\(unit)", for: metric)) == 1,
        (try? Quantity.parse(plain, for: metric)) != nil
      {
        var refusal = refusal
        refusal.description = "quantity is \"\(text)\"; did you mean '\(plain)'?"
        return refusal
      }
    }
    // `5-11` and `5 11`
    let parts = text.split { "- '".contains($0) }.map { Int($0) }
    if metric == .height, parts.count == 2, let feet = parts[0], let inches = parts[1],
      (3...8).contains(feet), inches < 12
    {
      var refusal = refusal
      refusal.description = "quantity is \"\(text)\"; did you mean '\(feet)ft\(inches)in'?"
      return refusal
    }
    if let meant = inOtherWords(text, metric) {
      var refusal = refusal
      refusal.description = "quantity is \"\(text)\"; \(meant)"
      return refusal
    }
    // `kg` alone lacks a number, not a unit.
    guard text.contains(where: \.isNumber), text.first?.isLetter == false else { return refusal }
    let unit = String(text.drop { !$0.isLetter })
    // A unit of another size or dimension is not misspelled.
    guard !isMetricUnit(unit) else { return refusal }
    let names = Quantity.unitNames(of: metric)
    let similar = nearest(to: unit, among: names)
    // `8oz` of water.
    let near = similar.isEmpty && !unit.isEmpty ? names.filter { $0.hasSuffix(unit) } : similar
    guard !near.isEmpty else { return refusal }
    var refusal = refusal
    refusal.description += "; did you mean \(listed(near))?"
    return refusal
  }

  /// Whether it is a unit with a decimal prefix, such as `mg`; `cal` alone usually means `kcal`.
  private static func isMetricUnit(_ word: String) -> Bool {
    let unit = word.lowercased()
    return ["g", "m", "l", "j", "cal", "wh"].contains { base in
      guard unit.hasSuffix(base) else { return false }
      let prefix = String(unit.dropLast(base.count))
      if prefix.isEmpty { return base != "cal" }
      if prefix == "g" { return ["j", "wh"].contains(base) }
      return ["µ", "u", "mc", "m", "c", "d", "da", "h", "k", "t"].contains(prefix)
    }
  }

  /// Refuses a bare number if the user's unit is not the metric's own, and an out-of-range quantity
  /// in the user's units. If they are the metric's own, and no smaller unit is likely, the ledger's rules
  /// report it.
  ///
  /// - Parameter units: evaluated only if the answer depends on it.
  package func check(in units: @autoclosure () throws -> UnitSystem) throws {
    guard isAmbiguous || !metric.accepts(quantity) else { return }
    let system = try units()
    let quantities = QuantityText(units: system)
    let unit = quantities.unit(of: metric)
    if isAmbiguous, unit != metric.unit {
      throw CommandFailure(.usage, ambiguity(unit, quantities))
    }
    let meant = metric.accepts(quantity) ? nil : Self.inSmallerUnit(quantity, of: metric)
    guard unit != metric.unit || meant != nil else { return }
    throw Refusal(
      .outOfRange, field: "quantity", value: typed, limit: .quantity(metric.range),
      unit: metric.unit,
      "quantity is \(quantities.words(quantity, of: metric)); \(metric.name) must be "
        + "\(quantities.words(metric.range, of: metric)) \(unit)"
        + (meant.map { "; did you mean \(quoted($0))?" } ?? ""))
  }

  /// `250ml` for 250 litres and `18.5%` for 0.185, if that is a usual quantity.
  static func inSmallerUnit(_ quantity: Double, of metric: Metric) -> String? {
    if metric == .bodyFatPercentage, metric.usualRange.contains(quantity * 100) {
      return JSONNumber.text((quantity * 100).rounded9) + "%"
    }
    let unit: String? =
      switch metric {
      case .waterLiters: "ml"
      case .distanceKM, .height: "m"
      case .sleepHours: "min"
      default: nil
      }
    // A converted quantity was not typed without its unit.
    let isTyped = (quantity * 1000).rounded() == quantity * 1000
    let text = isTyped ? unit.map { JSONNumber.text(quantity) + $0 } : nil
    guard let text, let converted = try? Quantity.parse(text, for: metric), converted > 0,
      metric.usualRange.contains(converted)
    else { return nil }
    return text
  }

  /// Empty for a bare number.
  private var unit: String { typed.drop { $0.isNumber || "+-. ".contains($0) }.lowercased() }

  /// Whether it is a bare number of a metric that has an imperial unit as well.
  private var isAmbiguous: Bool {
    unit.isEmpty && QuantityText(units: .imperial).unit(of: metric) != metric.unit
  }

  private func ambiguity(_ shownUnit: String, _ quantities: QuantityText) -> String {
    // A height of 5.5 is in feet.
    let isInFeet = metric == .height && quantity < 10
    var shown = typed + (isInFeet ? "ft" : shownUnit.filter { $0 != " " })
    // `511`
    if metric == .height, typed.count == 3, let feet = Int(typed.prefix(1)),
      let inches = Int(typed.dropFirst()), (3...8).contains(feet), inches < 12
    {
      shown = "\(feet)ft\(inches)in"
    }
    let own = typed + metric.unit
    let ownInUnits = quantities.words(quantity, of: metric)
    let converted = (try? Quantity.parse(shown, for: metric)).map {
      " (\(EntryText.quantity($0, metric)))"
    }
    return "quantity is \(typed), without a unit, and the profile's units are imperial; write "
      + "\(shown)\(converted ?? "") or \(own) (\(ownInUnits)); nothing was written"
  }

  /// In the user's units, followed by the original text if its unit is another.
  package func shown(in units: UnitSystem) -> String {
    let quantities = QuantityText(units: units)
    let kept = quantities.words(quantity, of: metric)
    let shownUnit = quantities.unit(of: metric)
    if unit.isEmpty { return kept }
    func one(_ unit: String) -> Double? { try? Quantity.parse("1\(unit)", for: metric) }
    let isShown = unit == shownUnit || one(unit).map { $0 == one(shownUnit) } ?? false
    return isShown ? kept : "\(kept) (\(typed))"
  }
}

extension ParsedArguments {
  /// The quantity in the remaining words of a command line.
  func amount(_ words: [String], of metric: Metric) throws -> Amount {
    if let other = words.dropFirst().first(where: { word in
      Metric(spoken: word).map { $0 != metric } ?? false
    }) {
      throw CommandFailure(
        .usage, "\(quoted(other)) is another metric, and a command takes one",
        hint: "give it a command of its own")
    }
    try Amount.refuseGroups(words.joined(separator: " "), of: metric)
    do {
      return try Amount(words: words, of: metric)
    } catch {
      if let split = splitValue(before: words) { throw split }
      throw refined(error, words, of: metric)
    }
  }

  /// The error for `--date last monday` and `--by in 3 months`, whose later words count as arguments.
  private func splitValue(before words: [String]) -> UsageError? {
    let ends = words.indices.dropFirst().map { words[$0...].joined(separator: " ") }
    func joined(_ name: String, _ isValue: (String) -> Bool) -> UsageError? {
      guard spec.takes(name), let value = option(name),
        let end = ends.first(where: { isValue("\(value) \($0)") })
      else { return nil }
      return .extraArgument(end, meant: "--\(name) \"\(value) \(end)\"")
    }
    return joined("date") { NamedDay($0) != nil } ?? joined("by") { NamedDay($0) != nil }
      ?? joined("time") { WallTime($0) != nil }
  }

  /// The day that words such as `on saturday` mean, as `--date` takes it.
  private static func day(meantBy words: String) -> String? {
    let text = words.lowercased().hasPrefix("on ") ? String(words.dropFirst(3)) : words
    return [text, "last \(text)"].first { NamedDay($0) != nil }
  }

  /// The options that words such as `yesterday at 7am`, `this morning` or `a day` mean.
  private func options(meantBy words: String, of metric: Metric) -> String? {
    if ["a day", "per day", "each day", "every day"].contains(words.lowercased()),
      spec.allOptions.contains(where: { $0.name == "daily" })
    {
      return "--daily"
    }
    guard spec.takes("date"), option("date") == nil else { return nil }
    func date(_ day: String) -> String {
      "--date " + (day.contains(" ") ? "\"\(day)\"" : day)
    }
    if let day = Self.day(meantBy: words) { return date(day) }
    switch words.lowercased() {
    case "this morning", "this afternoon", "this evening", "tonight": return date("today")
    case "last night": return date(metric == .sleepHours ? "today" : "yesterday")
    default: break
    }
    let texts = words.split(separator: " ").filter { $0.lowercased() != "at" }
    let text = texts.joined(separator: " ")
    guard option("time") == nil else { return nil }
    if WallTime(text) != nil { return "--time \(text.filter { $0 != " " })" }
    guard let parts = DayAndTime(text), let day = Self.day(meantBy: parts.day),
      WallTime(parts.time) != nil
    else { return nil }
    return date(day) + " --time \(parts.time.filter { $0 != " " })"
  }

  private static let wordsOfTimes: Set<String> = [
    "ago", "days", "evening", "morning", "today", "tonight", "week", "weeks", "yesterday",
  ]
  private static let wordsOfUnits: Set<String> = [
    "us", "uk", "imperial", "british", "gal", "gallon", "gallons", "pint", "pints", "oz",
  ]

  /// The error for words that are no quantity, with what may have been meant.
  private func refined(_ error: any Error, _ words: [String], of metric: Metric) -> any Error {
    func isAmount(_ text: String) -> Bool { (try? Amount(text, of: metric)) != nil }
    // `weight 80 felt good`, `weight 80 kg felt good`
    let parts = words.joined(separator: " ").split(separator: " ")
    let count = [2, 1].first { isAmount(parts.prefix($0).joined(separator: " ")) }
    let rest = parts.dropFirst(count ?? parts.count)
    let notes = rest.joined(separator: " ")
    if let options = options(meantBy: notes, of: metric) {
      return UsageError.extraArgument(notes, meant: options)
    }
    // A lone word after a number may be a misspelled unit.
    let hasUnit = parts.prefix(count ?? 0).joined().contains(where: \.isLetter)
    if rest.count > 1 || rest.count == 1 && hasUnit, rest.joined().allSatisfy(\.isLetter),
      spec.takes("notes"), option("notes") == nil
    {
      let words = rest.map { $0.lowercased() }
      guard Self.wordsOfUnits.isDisjoint(with: words) else {
        do {
          _ = try Amount(parts.joined(separator: " "), of: metric)
          return UsageError.extraArgument(notes)
        } catch {
          return error
        }
      }
      // `weight 80 three days ago` is no note.
      guard Self.wordsOfTimes.isDisjoint(with: words) else {
        return CommandFailure(
          .usage, "unexpected argument \(quoted(notes))",
          hint: "a day goes to --date, and other words to --notes, in quotes")
      }
      return UsageError.extraArgument(notes, meant: "--notes \"\(notes)\"")
    }
    if case UsageError.extraArgument(let word, nil) = error { return spec.unexpected(word) }
    guard words.count > 1, let refusal = error as? Refusal,
      [.unknownUnit, .malformed].contains(refusal.reason)
    else { return error }
    // `weight 80 yesterday`, `weight 80,5 yesterday`
    let surplus = spec.unexpected(words[words.count - 1])
    if case .extraArgument(_, .some) = surplus { return surplus }
    // `weight 80 --notes felt good`
    if spec.takes("notes"), option("notes") != nil, refusal.reason == .unknownUnit,
      isAmount(words[0])
    {
      return UsageError.extraArgument(words[1])
    }
    guard words.count == 2 else { return refusal }
    // `weight 150lb 149lb`
    if words[1].utf8.first.map(isDigit) == true, isAmount(words[0]) {
      guard metric == .height, let feet = Int(words[0]), let inches = Int(words[1]) else {
        return spec.unexpected(words[1])
      }
      return UsageError.extraArgument(words[1], meant: "\(feet)ft\(inches)in")
    }
    // `hours 8`
    guard isAmount("\(words[1]) \(words[0])") else { return refusal }
    return UsageError.extraArgument(words[0], meant: words[1] + words[0])
  }
}
