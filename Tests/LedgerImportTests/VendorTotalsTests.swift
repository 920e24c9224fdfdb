import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Files of 24 days in the documented form of each vendor (docs/import.md, Vendors), in two locales or
/// versions each, whose totals must be those of the values that they were made from.
@Suite struct VendorTotalsTests {
  /// What a person measured on one day.
  struct Day {
    let number: Int
    /// In tenths of a kilogram.
    var weight: Int { 742 + number * 7 % 23 }
    /// In tenths of a pound.
    var pounds: Int { 1634 + number * 5 % 31 }
    /// In tenths of a per cent.
    var fat: Int { 171 + number * 3 % 11 }
    /// In tenths.
    var index: Int { 231 + number % 9 }
    var steps: Int { 900 + number * 1_137 % 14_000 }
    /// In metres.
    var distance: Int { 700 + number * 871 % 9_000 }
    var energy: Int { 1_650 + number * 97 % 900 }
    var minutes: Int { 12 + number * 17 % 80 }
    var pulse: Int { 49 + number % 12 }
    /// The minute of the day of a measurement.
    var minute: Int { 6 * 60 + 5 + number * 11 % 50 }
    /// In minutes.
    var asleep: Int { 380 + number * 13 % 90 }
    /// The day of the month, in January 2026.
    var date: Int { number + 1 }

    static let all = (0..<24).map { Day(number: $0) }
  }

  struct Total: Equatable {
    var count = 0
    var sum = 0.0
  }

  static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  static func clock(_ minute: Int) -> String { "\(two(minute / 60)):\(two(minute % 60))" }

  /// Tenths as a decimal number.
  static func tenths(_ number: Int, _ mark: String = ".") -> String {
    "\(number / 10)\(mark)\(number % 10)"
  }

  func expect(
    _ result: ImportResult, _ vendor: String, _ totals: [Metric: Double], asleepMinutes: Int = 0,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      result.notes.contains { $0.contains(vendor) } || vendor.isEmpty, "\(result.notes)",
      sourceLocation: location)
    #expect(result.problems.isEmpty, "\(result.problems.prefix(3))", sourceLocation: location)
    var found: [Metric: Total] = [:]
    for edit in result.edits {
      found[edit.metric, default: Total()].count += 1
      found[edit.metric, default: Total()].sum += edit.quantity
    }
    #expect(Set(found.keys) == Set(totals.keys), sourceLocation: location)
    for (metric, sum) in totals {
      let total = found[metric] ?? Total()
      #expect(total.count == Day.all.count, "\(metric.name)", sourceLocation: location)
      #expect(
        abs(total.sum - sum) < 1e-6, "\(metric.name): \(total.sum), not \(sum)",
        sourceLocation: location)
    }
    let asleep = result.sessions.reduce(0) { $0 + $1.asleepSeconds }
    #expect(asleep == asleepMinutes * 60, sourceLocation: location)
    if asleepMinutes > 0 {
      #expect(result.sessions.count == Day.all.count, sourceLocation: location)
    }
  }

  func read(_ lines: [String]) throws -> ImportResult {
    var context = context()
    context.today = day("2026-11-21")
    return try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")), rules: VendorRules.all(),
      context: context)
  }

  func sum(_ value: (Day) -> Int, by divisor: Double = 1) -> Double {
    Double(Day.all.reduce(0) { $0 + value($1) }) / divisor
  }

  var kilograms: Double { sum(\.weight, by: 10) }
  var kilogramsOfPounds: Double { sum(\.pounds, by: 10) * 0.453_592_37 }
  var asleepMinutes: Int { Int(sum(\.asleep)) }

  @Test("Withings: British kilograms, American pounds, German decimal commas")
  func withings() throws {
    func lines(_ header: String, _ mark: String, _ weight: (Day) -> Int, _ comma: String)
      -> [String]
    {
      [header]
        + Day.all.map { day in
          let fields = [
            "2026-01-\(Self.two(day.date)) \(Self.clock(day.minute)):00",
            Self.tenths(weight(day), comma), "", "", "", "", "",
          ]
          return fields.joined(separator: mark)
        }
    }
    let english = "Fat mass (kg),Bone mass (kg),Muscle mass (kg),Hydration (kg),Comments"
    try expect(
      read(lines("Date,Weight (kg),\(english)", ",", \.weight, ".")), "Withings",
      [.weight: kilograms])
    let american = english.replacing("(kg)", with: "(lb)")
    try expect(
      read(lines("Date,Weight (lb),\(american)", ",", \.pounds, ".")), "Withings",
      [.weight: kilogramsOfPounds])
    let german =
      "Datum;Gewicht (kg);Fettmasse (kg);Knochenmasse (kg);Muskelmasse (kg);Wasser (kg);Kommentare"
    try expect(read(lines(german, ";", \.weight, ",")), "Withings", [.weight: kilograms])
  }

  @Test("Garmin: American pounds with AM and PM, British kilograms with 24 hours")
  func garmin() throws {
    let header =
      "Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,"
    func lines(_ date: (Day) -> String, _ time: (Day) -> String, _ weight: (Day) -> String)
      -> [String]
    {
      [header]
        + Day.all.flatMap { day in
          [
            "\" \(date(day))\",",
            "\(time(day)),\(weight(day)),0.1 kg,\(Self.tenths(day.index)),\(Self.tenths(day.fat)) %,"
              + "35.0 kg,3.5 kg,61.0 %,",
          ]
        }
    }
    let rest = [Metric.bmi: sum(\.index, by: 10), .bodyFatPercentage: sum(\.fat, by: 10)]
    let american = try read(
      lines {
        "Jan \($0.date), 2026"
      } _: {
        "\($0.minute / 60):\(Self.two($0.minute % 60)) AM"
      } _: {
        "\(Self.tenths($0.pounds)) lbs"
      })
    expect(american, "Garmin", rest.merging([.weight: kilogramsOfPounds]) { $1 })
    let british = try read(
      lines {
        "\($0.date) Jan 2026"
      } _: {
        Self.clock($0.minute)
      } _: {
        "\(Self.tenths($0.weight)) kg"
      })
    expect(british, "Garmin", rest.merging([.weight: kilograms]) { $1 })
  }

  @Test("Samsung Health: plain names, and names with their table in front")
  func samsung() throws {
    let names = ["start_time", "weight", "body_fat", "time_offset", "datauuid"]
    func lines(_ prefix: String) -> [String] {
      ["com.samsung.health.weight,7006003,12", names.map { prefix + $0 }.joined(separator: ",")]
        + Day.all.map { day in
          "2026-01-\(Self.two(day.date)) \(Self.clock(day.minute)):00.000,\(Self.tenths(day.weight)),"
            + "\(Self.tenths(day.fat)),UTC+0100,a04ec306-\(1000 + day.number),"
        }
    }
    let totals = [Metric.weight: kilograms, .bodyFatPercentage: sum(\.fat, by: 10)]
    try expect(read(lines("")), "Samsung", totals)
    try expect(read(lines("com.samsung.health.weight.")), "Samsung", totals)
  }

  @Test("Samsung Health: as a European spreadsheet saves it, with a byte order mark")
  func samsungEuropean() throws {
    let lines =
      [
        "\u{FEFF}com.samsung.health.weight;7006003;12",
        "start_time;weight;body_fat;time_offset;datauuid",
      ]
      + Day.all.map { day in
        "2026-01-\(Self.two(day.date)) \(Self.clock(day.minute)):00.000;\(Self.tenths(day.weight, ","));"
          + "\(Self.tenths(day.fat, ","));UTC+0100;a04ec306-\(1000 + day.number)"
      }
    try expect(
      read(lines), "Samsung", [.weight: kilograms, .bodyFatPercentage: sum(\.fat, by: 10)])
  }

  @Test("Samsung Health: of a day's steps only those of all devices together")
  func samsungSteps() throws {
    let header = "day_time,source_type,count,distance,calorie,"
    let totals = [
      Metric.steps: sum(\.steps), .distanceKM: sum(\.distance, by: 1000),
      .caloriesOut: sum(\.energy),
    ]
    func lines(_ time: (Day) -> String) -> [String] {
      ["com.samsung.shealth.step_daily_trend,1,1", header]
        + Day.all.flatMap { day in
          let rest = "\(day.steps),\(day.distance).0,\(day.energy).0,"
          return ["\(time(day)),-2,\(rest)", "\(time(day)),0,\(rest)"]
        }
    }
    let texts = try read(lines { "2026-01-\(Self.two($0.date)) 00:00:00.000" })
    expect(texts, "Samsung", totals)
    // 1 January 2026 in milliseconds since 1970.
    let numbers = try read(lines { "\(1_767_225_600_000 + $0.number * 86_400_000)" })
    expect(numbers, "Samsung", totals)
  }

  @Test("Oura: as downloaded, and as a European spreadsheet saves it")
  func oura() throws {
    func lines(_ mark: String, _ comma: String) -> [String] {
      let names = [
        "date", "Total Sleep Duration", "Bedtime Start", "Bedtime End",
        "Average Resting Heart Rate", "Activity Burn", "Steps",
      ]
      return [names.joined(separator: mark)]
        + Day.all.map { day in
          let date = "2026-01-\(Self.two(day.date))"
          return [
            date, "\(day.asleep * 60)", "\(date)T00:05:00.000+01:00",
            "\(date)T08:30:00.000+01:00", Self.tenths(day.pulse * 10 + 5, comma), "\(day.energy)",
            "\(day.steps)",
          ].joined(separator: mark)
        }
    }
    let totals = [
      Metric.restingHeartRate: sum(\.pulse) + 12, .caloriesOut: sum(\.energy),
      .steps: sum(\.steps),
    ]
    try expect(read(lines(",", ".")), "Oura", totals, asleepMinutes: asleepMinutes)
    try expect(read(lines(";", ",")), "Oura", totals, asleepMinutes: asleepMinutes)
  }

  @Test("Sleep Cycle: hours and minutes of older files, seconds of newer ones")
  func sleepCycle() throws {
    func row(_ day: Day, _ rest: String) -> String {
      "2026-01-\(Self.two(day.date)) 00:05:00;2026-01-\(Self.two(day.date)) 08:30:00;93%;\(rest)"
    }
    let older =
      ["Start;End;Sleep quality;Time in bed;Wake up;Sleep Notes;Heart rate;Activity (steps)"]
      + Day.all.map {
        row($0, "\($0.asleep / 60):\(Self.two($0.asleep % 60));;Worked out:Tea;0;0")
      }
    try expect(read(older), "Sleep Cycle", [:], asleepMinutes: asleepMinutes)
    let newer =
      ["Start;End;Sleep Quality;Regularity;Time in bed (seconds);Time asleep (seconds);Steps"]
      + Day.all.map { row($0, "80%;30300.0;\($0.asleep * 60).0;400") }
    try expect(read(newer), "Sleep Cycle", [:], asleepMinutes: asleepMinutes)
  }

  @Test("Sleep Cycle, newest: English names on every phone, and tracking without sleep is none")
  func sleepCycleNewest() throws {
    let lines =
      [
        "Went to bed;Woke up;Sleep Quality;Time in bed (seconds);Time asleep (seconds);Regularity;City",
        "2025-12-31 22:57:58;2025-12-31 23:43:21;8%;2723;0;58%;",
      ]
      + Day.all.map {
        "2026-01-\(Self.two($0.date)) 00:05:00;2026-01-\(Self.two($0.date)) 08:30:00;93%;30300;"
          + "\($0.asleep * 60);—;Минск"
      }
    let result = try read(lines)
    expect(result, "Sleep Cycle", [:], asleepMinutes: asleepMinutes)
    #expect(result.skipped.lines.map(\.count) == [1])
  }

  @Test("The Fitbit site: English thousands and points, German thousands and commas")
  func fitbit() throws {
    func grouped(_ number: Int, _ mark: String) -> String {
      let rest = number % 1000
      let zeros = rest < 10 ? "00" : rest < 100 ? "0" : ""
      return number < 1000 ? "\(number)" : "\(number / 1000)\(mark)\(zeros)\(rest)"
    }
    func lines(_ group: String, _ comma: String) -> [String] {
      func date(_ day: Day) -> String { "\"2026-01-\(Self.two(day.date))\"" }
      let body =
        ["Body", "Date,Weight,BMI,Fat"]
        + Day.all.map {
          "\(date($0)),\"\(Self.tenths($0.weight, comma))\",\"\(Self.tenths($0.index, comma))\","
            + "\"\(Self.tenths($0.fat, comma))\""
        }
      let activities =
        [
          "", "Activities",
          "Date,Calories Burned,Steps,Distance,Floors,Minutes Sedentary,Minutes Lightly Active,"
            + "Minutes Fairly Active,Minutes Very Active,Activity Calories",
        ]
        + Day.all.map {
          "\(date($0)),\"\(grouped($0.energy, group))\",\"\(grouped($0.steps, group))\","
            + "\"\(Self.tenths($0.distance / 100, comma))\",\"3\",\"600\",\"\($0.minutes)\",\"5\","
            + "\"7\",\"1\(group)100\""
        }
      let sleep =
        [
          "", "Sleep",
          "Start Time,End Time,Minutes Asleep,Minutes Awake,Number of Awakenings,Time in Bed",
        ]
        + Day.all.map {
          "\"2026-01-\(Self.two($0.date)) 12:05AM\",\"2026-01-\(Self.two($0.date)) 8:30AM\","
            + "\"\($0.asleep)\",\"20\",\"3\",\"505\""
        }
      return body + activities + sleep
    }
    let totals: [Metric: Double] = [
      .weight: kilograms, .bmi: sum(\.index, by: 10), .bodyFatPercentage: sum(\.fat, by: 10),
      .caloriesOut: sum(\.energy), .steps: sum(\.steps),
      .distanceKM: sum({ $0.distance / 100 }, by: 10), .activeMinutes: sum({ $0.minutes + 12 }),
    ]
    try expect(read(lines(",", ".")), "Fitbit", totals, asleepMinutes: asleepMinutes)
    try expect(read(lines(".", ",")), "Fitbit", totals, asleepMinutes: asleepMinutes)
  }

  @Test("The Fitbit site: pounds and miles of an American account")
  func fitbitAmerican() throws {
    func miles(_ day: Day) -> Int { day.distance * 10 / 1609 }
    let body =
      ["Body", "Date,Weight,BMI,Fat"]
      + Day.all.map {
        "2026-01-\(Self.two($0.date)),\(Self.tenths($0.pounds)),\(Self.tenths($0.index)),0"
      }
    let activities =
      ["", "Activities", "Date,Calories Burned,Steps,Distance,Minutes Very Active"]
      + Day.all.map {
        "2026-01-\(Self.two($0.date)),\($0.energy),\($0.steps),\(Self.tenths(miles($0))),7"
      }
    let result = try read(body + activities)
    expect(
      result, "Fitbit",
      [
        .weight: kilogramsOfPounds, .bmi: sum(\.index, by: 10), .caloriesOut: sum(\.energy),
        .steps: sum(\.steps), .activeMinutes: sum({ _ in 7 }),
        .distanceKM: sum(miles, by: 10) * 1.609344,
      ])
    #expect(result.notes.contains { $0.contains("Weight is in lb") })
  }

  @Test("Google Fit: as downloaded, and as a European spreadsheet saves it")
  func googleFit() throws {
    let english = [
      "Date", "Move Minutes count", "Calories (kcal)", "Distance (m)", "Heart Points",
      "Step count", "Average weight (kg)",
    ]
    let german = [
      "Datum", "Anzahl der Aktivitätsminuten", "Kalorien (kcal)", "Distanz (m)", "Kardiopunkte",
      "Schrittzahl", "Durchschnittsgewicht (kg)",
    ]
    let spanish = [
      "Fecha", "Recuento de Minutos Activos", "Calorías (kcal)", "Distancia (m)",
      "Minutos de cardio", "Recuento de pasos", "Peso medio (kg)",
    ]
    let french = [
      "Date", "Nombre de minutes actives", "Calories (kcal)", "Distance (m)", "Points cardio",
      "Nombre de pas", "Poids moyen (kg)",
    ]
    func lines(_ mark: String, _ comma: String, _ names: [String]) -> [String] {
      [names.joined(separator: mark)]
        + Day.all.map { day in
          [
            "2026-01-\(Self.two(day.date))", "\(day.minutes)", "\(day.energy)\(comma)5",
            "\(day.distance)\(comma)25", "12", "\(day.steps)", Self.tenths(day.weight, comma),
          ].joined(separator: mark)
        }
    }
    let totals: [Metric: Double] = [
      .activeMinutes: sum(\.minutes), .caloriesOut: sum(\.energy) + 12,
      .distanceKM: (sum(\.distance) + 6) / 1000, .steps: sum(\.steps), .weight: kilograms,
    ]
    for names in [english, german, spanish, french] {
      try expect(read(lines(",", ".", names)), "Google Fit", totals)
      try expect(read(lines(";", ",", names)), "Google Fit", totals)
    }
  }

  @Test("Strong: sets share the moment of their workout, whose length counts once")
  func strong() throws {
    let english =
      [
        "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,"
          + "Workout Notes,RPE"
      ]
      + Day.all.flatMap { day in
        (1...3).map {
          "2026-01-\(Self.two(day.date)) \(Self.clock(day.minute)):00,\"Legs\",1h \(day.minutes % 60)m,"
            + "\"Squat (Barbell)\",\($0),20.0,\(10 - $0),0,0,\"\",\"\","
        }
      }
    try expect(
      read(english), "Strong", [.activeMinutes: sum({ 60 + $0.minutes % 60 })])
    let german =
      [
        "Workout #;Date;Workout Name;Duration (sec);Exercise Name;Set Order;Weight (kg);Reps;RPE;"
          + "Distance (meters);Seconds;Notes;Workout Notes"
      ]
      + Day.all.flatMap { day in
        (1...3).map {
          "\(day.date);2026-01-\(Self.two(day.date)) \(Self.clock(day.minute)):00;\"Beine\";"
            + "\(day.minutes * 60);\"Kniebeuge\";\($0);20,5;\(10 - $0);;0;0;;"
        }
      }
    try expect(read(german), "Strong", [.activeMinutes: sum(\.minutes)])
  }

  @Test("A weight that was lifted is not the body's")
  func lifted() {
    #expect(throws: ImportError.self) {
      try read(["Date;Exercise;Set Order;Weight;Reps;Distance", "2026-01-01;Squat;1;20;5;0"])
    }
  }

  /// Writes a file and the folders on its way.
  private func write(_ text: String, to path: String, in folder: TemporaryFolder) throws {
    var place = folder.path
    for name in path.split(separator: "/").dropLast() {
      place += "/\(name)"
      _ = try Folder.make(place, on: SystemDisk.shared)
    }
    try folder.write(Array(text.utf8), to: "\(folder.path)/\(path)")
  }

  @Test(
    "Fitbit in Takeout: the body mass index tells kilograms, pounds and stone apart",
    arguments: ["kg", "lb", "st"])
  func takeout(_ unit: String) throws {
    let folder = try TemporaryFolder()
    let factor: Double = ["kg": 1.0, "lb": 0.453_592_37, "st": 6.350_293_18][unit] ?? 1
    // A person of 1.8 m.
    let indices: [Double] = Day.all.map { Double($0.weight) / 10 / 3.24 }
    let weights: [Double] = Day.all.map { (Double($0.weight) / factor).rounded() / 10 }
    let logs = Day.all.map { day -> String in
      let (weight, index) = (weights[day.number], indices[day.number])
      let measured = #"{"logId":\#(1000 + day.number),"weight":\#(weight),"bmi":\#(index),"#
      let moment = #""date":"01/\#(Self.two(day.date))/26","time":"\#(Self.clock(day.minute)):00""#
      return measured + #""fat":\#(Self.tenths(day.fat)),"# + moment + #","source":"Aria"}"#
    }
    let steps = Day.all.map {
      #"{"dateTime":"01/\#(Self.two($0.date))/26 10:0\#($0.number % 10):00","value":"\#($0.steps)"}"#
    }
    let root = "Takeout/Fitbit/Global Export Data"
    try write("[\(logs.joined(separator: ","))]", to: "\(root)/weight-2026-01-01.json", in: folder)
    try write("[\(steps.joined(separator: ","))]", to: "\(root)/steps-2026-01-01.json", in: folder)
    let files = try #require(try TakeoutFiles(folder.path))
    let result = try FitbitTakeout.read(files, context: context())
    expect(
      result, "",
      [
        .weight: weights.reduce(0, +) * factor, .bmi: indices.reduce(0, +),
        .bodyFatPercentage: sum(\.fat, by: 10), .steps: sum(\.steps),
      ])
  }

  @Test("Fitbit in Takeout: without an index the profile tells the unit, and nothing is guessed")
  func takeoutProfile() throws {
    let folder = try TemporaryFolder()
    try write(
      #"[{"logId":1,"weight":180,"date":"01/31/26","time":"07:30:00"}]"#,
      to: "Fitbit/Global Export Data/weight-2026-01-31.json", in: folder)
    func read(unit: String? = nil) throws -> ImportResult {
      let files = try #require(try TakeoutFiles(folder.path))
      return try FitbitTakeout.read(files, unit: unit, context: context())
    }
    let open = try read()
    #expect(open.edits.isEmpty && open.problems.first?.question?.field == .unit)
    #expect(try read(unit: "kg").lines == ["weight 2026-01-31 07:30:00 180"])
    try write(
      "full_name,weight_unit\nAnna,en_US\n", to: "Fitbit/Your Profile/Profile.csv", in: folder)
    #expect(try read().lines == ["weight 2026-01-31 07:30:00 81.6466266"])
  }
}
