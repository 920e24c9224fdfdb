import LedgerJSON
import LedgerModel
import Testing

@Suite struct QuantityTests {
  static let quantities: [(text: String, metric: Metric, value: Double)] = [
    ("75.5", .weight, 75.5), ("75.5 kg", .weight, 75.5), ("75.5KG", .weight, 75.5),
    ("165lb", .weight, 74.84274105), ("165 lbs", .weight, 74.84274105),
    ("11st", .weight, 69.85322498),

    ("72400g", .weight, 72.4), ("1e2", .weight, 100), ("1e2kg", .weight, 100),
    ("1E+2", .weight, 100),
    ("7.5e1 kg", .weight, 75), ("5.5ft", .height, 167.64), ("70in", .height, 177.8),
    (".5l", .waterLiters, 0.5), (".5", .weight, 0.5), ("1.7m", .height, 170),
    ("1.83 m", .height, 183), ("1705mm", .height, 170.5),
    ("3mi", .distanceKM, 4.828032), ("26.2mi", .distanceKM, 42.1648128),
    ("1234m", .distanceKM, 1.234), ("100yd", .distanceKM, 0.09144), ("1000ft", .distanceKM, 0.3048),
    ("5km", .distanceKM, 5), ("250ml", .waterLiters, 0.25), ("3dl", .waterLiters, 0.3),
    ("33cl", .waterLiters, 0.33), ("2 cups", .waterLiters, 0.473176473),
    ("1cup", .waterLiters, 0.2365882365), ("8floz", .waterLiters, 0.2365882365),
    ("8 fl oz", .waterLiters, 0.2365882365), ("1.5 L", .waterLiters, 1.5),
    ("90min", .sleepHours, 1.5), ("7.5h", .sleepHours, 7.5), ("7 hr", .sleepHours, 7),
    ("100min", .sleepHours, 1.66666666666667), ("1.5h", .activeMinutes, 90),
    ("90s", .activeMinutes, 1.5), ("45min", .activeMinutes, 45), ("418.4kJ", .caloriesOut, 100),
    ("1kj", .caloriesIn, 0.239005736137667), ("500 kcal", .caloriesIn, 500),
    ("4.184MJ", .caloriesIn, 1000),
    ("1oz", .proteinG, 28.349523125), ("500mg", .fatG, 0.5), ("20g", .carbsG, 20),
    ("18.5%", .bodyFatPercentage, 18.5), ("60bpm", .restingHeartRate, 60), ("8000", .steps, 8000),
    ("22.5", .bmi, 22.5), ("7", .moodScore, 7), ("0", .steps, 0), ("-0", .steps, 0),
    // Long names of units.
    ("75.5 kgs", .weight, 75.5), ("165 pounds", .weight, 74.84274105),
    ("11 stone", .weight, 69.85322498), ("3 miles", .distanceKM, 4.828032),
    ("70 inches", .height, 177.8), ("6 feet", .height, 182.88), ("90 mins", .sleepHours, 1.5),
    ("8 hours", .sleepHours, 8), ("2 litres", .waterLiters, 2),
    // Two units.
    ("5ft 11in", .height, 180.34), ("5ft11in", .height, 180.34), ("5 ft 11 in", .height, 180.34),
    ("5'11\"", .height, 180.34), ("5' 11”", .height, 180.34), ("5'11", .height, 180.34),
    ("5FT 10.5IN", .height, 179.07), ("0ft 11in", .height, 27.94), ("6'0\"", .height, 182.88),
    ("11st 4lb", .weight, 71.66759446), ("11st4", .weight, 71.66759446),
    ("12 stone 0 pounds", .weight, 76.20351816),
    ("7h 30min", .sleepHours, 7.5), ("7 hrs.", .sleepHours, 7), ("75 Kg.", .weight, 75),
    ("7 Std. 30 Min.", .sleepHours, 7.5), ("7 h 30 min.", .activeMinutes, 450),
    ("7h30", .sleepHours, 7.5), ("7h30m", .sleepHours, 7.5),
    ("7:30", .sleepHours, 7.5), ("0:45", .sleepHours, 0.75), ("1h 30min", .activeMinutes, 90),
    // `decide` checks ranges.
    ("-3", .weight, -3), ("-3kg", .weight, -3), ("600kg", .weight, 600), ("75.5 ", .weight, 75.5),
  ]

  @Test("A quantity is converted to the unit of its metric", arguments: quantities.indices)
  func readsAndConverts(index: Int) throws {
    let (text, metric, value) = Self.quantities[index]
    let quantity = try Quantity.parse(text, for: metric)
    #expect(quantity == value, "\(text)")
    #expect(JSONNumber.isWritable(quantity))
  }

  static let notNumbers = [
    "", " ", "kg", "7..5", "7.5.1", "+5", "٣", "３", "--5", "-", ".", "..5", "5.", "5.kg", "05", "½",
    "∞", "nan", "1e+-2", "5-3kg", "e5", "\u{2212}5", " 5",
  ]

  @Test("Text that is not a number is refused", arguments: notNumbers)
  func refusesWhatIsNoNumber(text: String) {
    let sentence = sentence { () throws(Refusal) in _ = try Quantity.parse(text, for: .weight) }
    #expect(sentence?.contains(text) == true, "\(sentence ?? "accepted")")
  }

  static let sentences: [(text: String, metric: Metric, sentence: String)] = [
    (
      "7..5", .weight,
      "quantity is \"7..5\"; it must be a number such as 75.5, optionally with a unit"
    ),
    ("5e", .weight, "the unit 'e' does not fit weight; it takes kg, g, lb, lbs, st"),
    ("75.5 stoon", .weight, "the unit 'stoon' does not fit weight; it takes kg, g, lb, lbs, st"),
    ("5kg", .height, "the unit 'kg' does not fit height; it takes cm, m, mm, in, ft"),
    (
      "75,5", .weight,
      "quantity is \"75,5\"; use a decimal point, as in 75.5"
    ),
    ("75kgg", .weight, "the unit 'kgg' does not fit weight; it takes kg, g, lb, lbs, st"),
    (
      "5ft 12in", .height,
      "quantity is \"5ft 12in\"; 12 in are 1 ft, so the second number must be less than 12"
    ),
    ("5.5ft 1in", .height, "the unit 'ft 1in' does not fit height; it takes cm, m, mm, in, ft"),
    ("5ft 1in 2", .height, "the unit 'ft 1in 2' does not fit height; it takes cm, m, mm, in, ft"),
    ("5in 1ft", .height, "the unit 'in 1ft' does not fit height; it takes cm, m, mm, in, ft"),
    ("5ft .5in", .height, "the unit 'ft .5in' does not fit height; it takes cm, m, mm, in, ft"),
    ("7:30", .activeMinutes, "the unit ':30' does not fit active_minutes; it takes min, h, hr, s"),
    ("0x10", .weight, "the unit 'x10' does not fit weight; it takes kg, g, lb, lbs, st"),
    ("8000steps", .steps, "quantity is \"8000steps\"; steps is a plain number without a unit"),
    ("7/10", .moodScore, "quantity is \"7/10\"; mood_score is a plain number without a unit"),
    ("1e14m", .height, "quantity is \"1e14m\"; it must be within ±1e15"),
    ("1e16", .steps, "quantity is \"1e16\"; it must be within ±1e15"),
    (
      "72.12345678901234", .weight,
      "quantity is \"72.12345678901234\"; a ledger keeps at most 15 significant digits"
    ),
  ]

  @Test("A refusal names the text and the rule", arguments: sentences.indices)
  func saysWhatIsWrong(index: Int) {
    let (text, metric, expected) = Self.sentences[index]
    let sentence = sentence { () throws(Refusal) in _ = try Quantity.parse(text, for: metric) }
    #expect(sentence == expected)
  }
}

/// The sentence of the refusal, or `nil`.
func sentence(_ body: () throws(Refusal) -> Void) -> String? {
  do throws(Refusal) {
    try body()
    return nil
  } catch {
    return error.description
  }
}
