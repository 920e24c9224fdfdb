import LedgerTestSupport

/// The `data` of common events as this program writes them, with values at the edges of what is
/// allowed and beyond.
enum LineForms {
  static func event(using random: inout SplitMix) -> (type: String, data: String) {
    switch Int.random(in: 0..<13, using: &random) {
    case 0..<5: ("progress.logged", logged(&random))
    case 5: ("progress.corrected", corrected(&random))
    case 6: ("progress.deleted", #"{"entry":"\#(uuid(&random))"\#(optional("reason", &random))}"#)
    case 7: ("sync.acknowledged", acknowledged(&random))
    case 8: ("sync.attempted", attempted(&random))
    case 9:
      (
        "sync.rejected",
        #"{"call":"\#(uuid(&random))","events":[\#(numbers(&random))],"status":\#(number(&random))"#
          + #","message":\#(text(&random))}"#
      )
    case 11: ("sleep.logged", session(&random))
    case 10: ("account.signed_out", #"{"reason":\#(text(&random))}"#)
    default: fields(&random)
    }
  }

  private static func logged(_ random: inout SplitMix) -> String {
    #"{"entry":"\#(uuid(&random))","metric":"\#(metric(&random))","#
      + #""quantity":\#(quantity(&random)),"date":"\#(date(&random))"\#(moment(&random))"#
      + optional("notes", &random) + optional("source", &random) + optional("source_id", &random)
      + (random.chance(20) ? #","claimed_backend_id":"7"}"# : "}")
  }

  private static func session(_ random: inout SplitMix) -> String {
    var data =
      #"{"entry":"\#(uuid(&random))","start":"\#(instant(&random))","end":"\#(instant(&random))""#
    if random.chance(60) {
      let stages = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        #"{"stage":"\#(random.pick(["core", "deep", "rem", "awake", "asleep", "in_bed", "nap"]))","#
          + #""start":"\#(instant(&random))","end":"\#(instant(&random))"}"#
      }
      data += #","stages":[\#(stages.joined(separator: ","))]"#
    }
    return data + optional("notes", &random) + optional("source", &random)
      + optional("source_id", &random) + "}"
  }

  private static func instant(_ random: inout SplitMix) -> String {
    let day = random.pick(["2026-01-31", "2026-02-28", "2026-02-30", "0001-01-01", "9999-12-31"])
    let time = random.pick(["00:00:00", "23:59:59", "07:05:09", "24:00:00", "07:05"])
    return day + "T" + time + random.pick(["+00:00", "-03:30", "+14:00", "Z", "+16:00"])
  }

  private static func corrected(_ random: inout SplitMix) -> String {
    var data = #"{"entry":"\#(uuid(&random))""#
    if random.chance(70) { data += #","quantity":\#(quantity(&random))"# }
    if random.chance(30) { data += #","date":"\#(date(&random))""# }
    data += moment(&random)
    data += random.chance(20) ? #","notes":null"# : optional("notes", &random)
    return data + "}"
  }

  private static func acknowledged(_ random: inout SplitMix) -> String {
    let events = #""events":[\#(numbers(&random))]"#
    let status = #""status":\#(random.pick(["200", "201", "201", "202", "204", "404", "20"]))"#
    let call = #""call":"\#(uuid(&random))""#
    let end = #""entry":"\#(uuid(&random))","backend_id":\#(text(&random))}"#
    return random.chance(50)
      ? #"{\#(events),"via":"response",\#(call),\#(status),\#(end)"#
      : #"{\#(call),\#(events),\#(status),"via":"response",\#(end)"#
  }

  private static func attempted(_ random: inout SplitMix) -> String {
    #"{"call":"\#(uuid(&random))","method":"POST","path":\#(text(&random)),"#
      + #""events":[\#(numbers(&random))],"fingerprint":\#(text(&random)),"#
      + #""attempt":\#(number(&random))}"#
  }

  private static func fields(_ random: inout SplitMix) -> (String, String) {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let members = [
        #""name":\#(text(&random))"#, #""bio":\#(random.chance(30) ? "null" : text(&random))"#,
        #""preferred_unit_system":"\#(random.pick(["metric", "imperial", "stone"]))""#,
        #""language_code":\#(random.chance(30) ? "null" : text(&random))"#,
      ]
      return ("profile.updated", object(members, &random))
    case 1:
      let members = [
        #""biological_sex":"\#(random.pick(["female", "male", "other", "f"]))""#,
        #""height_cm":\#(quantity(&random))"#, #""date_of_birth":"\#(date(&random))""#,
      ]
      return ("physical.updated", object(members, &random))
    default:
      let members = ["allergies", "dietary_restrictions", "food_dislikes", "pets"].map {
        #""\#($0)":\#(list(&random))"#
      }
      return ("preferences.updated", object(members, &random))
    }
  }

  // MARK: Values

  private static func object(_ members: [String], _ random: inout SplitMix) -> String {
    let count = Int.random(in: 0...3, using: &random)
    let picked = (0..<count).map { _ in random.pick(members) }
    return "{\(picked.joined(separator: ","))}"
  }

  private static func list(_ random: inout SplitMix) -> String {
    let count = Int.random(in: 0...3, using: &random)
    return "[\((0..<count).map { _ in text(&random) }.joined(separator: ","))]"
  }

  private static func uuid(_ random: inout SplitMix) -> String {
    let good = "0195512f-5c00-7\(Int.random(in: 100...999, using: &random))-8abc-00000000002a"
    guard random.chance(6) else { return good }
    return random.pick([
      good.uppercased(), good.replacing("-", with: ":"), String(good.dropLast()), good + "0",
      "g" + good.dropFirst(), "0195512f5-c00-7123-8abc-00000000002a",
    ])
  }

  private static func metric(_ random: inout SplitMix) -> String {
    random.pick([
      "weight", "height", "body_fat_percentage", "bmi", "steps", "calories_out", "distance_km",
      "active_minutes", "sleep_hours", "water_liters", "resting_heart_rate", "mood_score",
      "calories_in", "protein_g", "carbs_g", "fat_g", "fat_h", "bm", "calories_up", "weights", "",
    ])
  }

  private static func quantity(_ random: inout SplitMix) -> String {
    if random.chance(50) { return "\(Int.random(in: 0...99_999, using: &random))" }
    return random.pick([
      "0", "-0", "0.0", "00", "01", "0.50", "5.04", "75.5", "1.", ".5", "-1", "-1.25", "1e3",
      "1E-3", "1.5e1", "1234567", "12345678", "123456789", "1234567.1234567", "0.1234567",
      "0.12345678", "123456789012345", "1234567890123456", "12345678901.2345", "1e15", "1e16",
      "true", "", "\"7\"", "1 ", "1..2", "1.2.3", "9.99999999999999",
    ])
  }

  private static func number(_ random: inout SplitMix) -> String {
    random.pick([
      "1", "2", "17", "422", "0", "01", "-1", "1.0", "1e1", "1234567", "12345678", "123456789",
      "4294967295", "4294967296", "99999999999999999", "null",
    ])
  }

  private static func numbers(_ random: inout SplitMix) -> String {
    let count = Int.random(in: 0...3, using: &random)
    return (0..<count).map { _ in random.chance(85) ? "1" : number(&random) }
      .joined(separator: ",")
  }

  private static func date(_ random: inout SplitMix) -> String {
    random.pick([
      "2025-01-31", "2025-01-31", "2025-02-01", "2024-02-29", "2025-02-29", "1900-02-29",
      "2000-02-29", "0001-01-01", "0000-01-01", "9999-12-31", "2025-13-01", "2025-00-10",
      "2025-1-031", "2025/01/31", "2025-01-31T", "٢٠٢٥-01-31",
    ])
  }

  private static func moment(_ random: inout SplitMix) -> String {
    guard random.chance(60) else { return "" }
    let time = random.pick([
      "00:00:00", "07:05:09", "23:59:59", "24:00:00", "29:59:59", "23:60:00", "23:59:60", "7:05:09",
      "07-05-09", "07:05:0a", "0:705:09", "/7:05:09", "07:05:9:",
    ])
    let zone = random.pick([
      "+00:00", "+02:00", "-03:30", "+15:59", "+16:00", "-15:59", "+01:60", "02:00", "+2:000",
      "Z", "+0200:",
    ])
    return random.chance(92) ? #","time":"\#(time)","zone":"\#(zone)""# : #","time":"\#(time)""#
  }

  private static func text(_ random: inout SplitMix) -> String {
    random.pick([
      #""""#, #""a""#, #""felt good after the run""#, #""exactly8""#, #""sixteen letters!""#,
      #""a \"b\"\n\u00e9 \ud83d\udcaa""#, #""très bien 💪""#, #""\ud83d""#, #""\x""#,
      "\"a\tb\"", #""C:\\gym\\""#, #""unended"#, "7", "null", #""\#("x" * 70)""#,
    ])
  }

  private static func optional(_ name: String, _ random: inout SplitMix) -> String {
    random.chance(35) ? #","\#(name)":\#(text(&random))"# : ""
  }

  /// The same members in another order, now and then one of them twice.
  static func shuffled(_ data: String, using random: inout SplitMix) -> String {
    var members: [[UInt8]] = [[]]
    var depth = 0
    var (inText, escaped) = (false, false)
    for byte in data.utf8.dropFirst().dropLast() {
      if inText {
        inText = byte != UInt8(ascii: "\"") || escaped
        escaped = byte == UInt8(ascii: "\\") && !escaped
      } else {
        if byte == UInt8(ascii: "\"") { inText = true }
        if byte == UInt8(ascii: "[") { depth += 1 }
        if byte == UInt8(ascii: "]") { depth -= 1 }
        if byte == UInt8(ascii: ","), depth == 0 {
          members.append([])
          continue
        }
      }
      members[members.count - 1].append(byte)
    }
    members.shuffle(using: &random)
    if random.chance(5) { members.append(random.pick(members)) }
    let texts = members.map { String(decoding: $0, as: UTF8.self) }
    return "{\(texts.joined(separator: ","))}"
  }

  /// One to three small edits anywhere.
  static func mutate(_ bytes: inout [UInt8], using random: inout SplitMix) {
    for _ in 0...Int.random(in: 0...2, using: &random) {
      guard !bytes.isEmpty else { return }
      let place = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 4: bytes.insert(random.pick(Array(#"{}[]",:\0eu-.a9"#.utf8)), at: place)
      case 5: bytes.removeSubrange(place..<min(bytes.count, place + 9))
      default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 40)], at: place)
      }
    }
  }
}

private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
