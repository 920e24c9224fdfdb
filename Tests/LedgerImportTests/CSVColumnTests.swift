import LedgerModel
import Testing

@testable import LedgerImport

/// What columns mean by their names, and by their rows where names mislead.
@Suite struct CSVColumnTests {
  private func read(
    _ lines: [String], adjust: (CSVRules) -> CSVRules = { $0 }
  ) throws -> ImportResult {
    var context = context()
    context.today = day("2026-11-21")
    return try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")), rules: VendorRules.all(),
      adjust: adjust, context: context)
  }

  // MARK: Names

  @Test(
    "Usual column names in five languages are recognized",
    arguments: [
      (Metric.weight, "80", ["Masse corporelle", "Bodyweight"]), (.moodScore, "7", ["Laune"]),
      (
        .steps, "9000",
        [
          "Schrittanzahl", "Anzahl Schritte", "Schritte gesamt", "Número de pasos",
          "Pasos totales", "Número de passos", "Contagem de passos", "Daily Steps",
        ]
      ),
      (
        .caloriesOut, "2000",
        [
          "Kalorienverbrauch", "Calorías gastadas", "Calories dépensées", "Aktive Energie (kcal)",
          "Energía activa (kcal)", "Énergie active (kcal)", "Energia ativa (kcal)",
          "Calories burned (Cal)", "Énergie dépensée (kcal)", "Energía gastada",
          "Energieverbrauch (kJ)", "Energia gasta", "Gasto energético (kcal)",
        ]
      ),
      (
        .distanceKM, "5",
        [
          "Distancia recorrida (km)", "Distance parcourue (km)", "Zurückgelegte Strecke (km)",
          "Run (km)", "Laufen (km)",
        ]
      ),
      (
        .activeMinutes, "45",
        [
          "Trainingszeit (min)", "Minutes d'activité", "Minutos de actividad",
          "Minutos de atividade", "Bewegungsminuten",
        ]
      ),
      (
        .sleepHours, "7", ["Heures de sommeil", "Horas de sono", "Schlafstunden", "Stunden Schlaf"]
      ),
      (.sleepHours, "450", ["Minutos de sueño", "Minutes de sommeil"]),
      (.sleepHours, "7:30", ["Sleep duration (hh:mm)", "Schlaf (h:mm)"]),
      (.activeMinutes, "22:38", ["Active time (mm:ss)"]),
      (
        .waterLiters, "1500",
        ["Wasserkonsum (ml)", "Trinkmenge (ml)", "Hydration (ml)", "Eau bue (ml)", "Trinken (ml)"]
      ),
      (
        .restingHeartRate, "55",
        ["Frecuencia cardiaca en reposo (lpm)", "Pulso en reposo", "Ruhepuls (S/min)"]
      ),
      (
        .bodyFatPercentage, "18",
        [
          "Masse grasse (%)", "Taux de masse grasse (%)", "Percentual de gordura", "% grasa",
          "Porcentaje de grasa corporal", "Indice de masse grasse (%)", "KFA",
        ]
      ),
      (
        .bmi, "24",
        ["Índice de masa corporal", "Indice de masse corporelle", "Índice de massa corporal"]
      ),
      (
        .caloriesIn, "2000",
        [
          "Energieaufnahme", "Ingesta calórica (kcal)", "Apport énergétique", "Ingestão calórica",
          "Food (kcal)", "Essen (kcal)", "kcal gegessen",
        ]
      ),
      (.sleepHours, "7", ["Horas dormidas", "Heures dormies", "Geschlafene Stunden"]),
      (.weight, "80", ["Körpermasse (kg)", "Masa corporal", "Massa corporal (quilos)"]),
      (.carbsG, "90", ["Hydrates de carbone (g)"]),
      (.fatG, "90", ["Gorduras (g)", "Matières grasses (g)", "Fette (g)"]),
      (.proteinG, "90", ["Proteine (g)"]),
    ])
  func metrics(_ metric: Metric, _ cell: String, _ names: [String]) throws {
    for name in names {
      let result = try read(["\"Date\";\"\(name)\"", "2026-01-05;\(cell)"])
      #expect(result.edits.map(\.metric) == [metric], "\(name)")
    }
  }

  @Test("A mass of fat is no share")
  func fatMass() throws {
    #expect(try read(["Date,Poids (kg),Masse grasse (kg)", "2026-01-05,80,15"]).edits.count == 1)
  }

  @Test(
    "Usual names of columns of dates",
    arguments: [
      "Messdatum", "Date de mesure", "Fecha de medición", "Data da medição", "Horodatage",
      "log_date", "activityDate", "Measured", "Datum & Uhrzeit", "Logged At", "Entry Date",
    ])
  func dates(_ name: String) throws {
    #expect(try read(["\(name),Steps", "2026-01-05,7"]).lines == ["steps 2026-01-05 7"])
  }

  @Test("A column that is called as a unit of weight is the body's beside columns of energy")
  func weightBesideEnergy() throws {
    let known = try read(["day,kg,kcal eaten,kcal burned,slept", "2026-01-05,80,2100,300,7.5"])
    #expect(
      known.lines.sorted() == [
        "calories_in 2026-01-05 2100", "calories_out 2026-01-05 300", "sleep_hours 2026-01-05 7.5",
        "weight 2026-01-05 80",
      ])
    #expect(try read(["Date,kg,kcal", "2026-01-05,80,2100"]).lines == ["weight 2026-01-05 80"])
  }

  // MARK: Roles

  @Test("A column of sources gives each entry its own, unless the person names one")
  func sources() throws {
    let lines = ["Date,Weight,Source,ID", "2026-01-05,80,Scale,a1"]
    let result = try read(lines)
    #expect(result.edits[0].source == "Scale" && result.edits[0].sourceID == "csv:weight:id:a1")
    #expect(result.notes.isEmpty)
    let named = try read(lines) {
      $0.adjusted(by: CSVMapping(metric: .weight, quantity: "", date: ""), source: "mine")
    }
    #expect(named.edits[0].source == "mine")
  }

  @Test(
    "A zone is an offset, minutes, or a short name of one zone",
    arguments: [
      ("+02:00", 120), ("+120", 120), ("60", 60), ("-300", nil), ("-480", -480), ("+530", 330),
      ("+330", nil), ("EST", -300), ("CEST", 120), ("UTC", 0), ("IST", nil), ("+3", 180),
    ] as [(String, Int?)])
  func zones(_ text: String, _ minutes: Int?) throws {
    let result = try read(["Date,Time,Time Zone,Weight", "2026-01-05,07:30,\(text),80"])
    #expect(result.edits.first?.moment.map { Int($0.zone.minutes) } == minutes)
    #expect(result.problems.map(\.kind) == (minutes == nil ? ["the zone is not known"] : []))
  }

  @Test(
    "A zone of the system's database has its offset of the time",
    .enabled(if: LocalZone.isZone("Europe/Madrid")),
    arguments: [
      ("Europe/Madrid", "2026-01-05,07:30", 60), ("Europe/Madrid", "2026-07-05,07:30", 120),
      ("America/New_York", "2026-03-08,01:59", -300),
      ("America/New_York", "2026-03-08,03:00", -240),
      ("America/New_York", "2026-10-31,12:00", -240), ("Australia/Sydney", "2026-01-05,07:30", 660),
      ("Asia/Kolkata", "2026-01-05,07:30", 330), ("America/Sao_Paulo", "2015-01-05,07:30", -120),
      ("America/Sao_Paulo", "2025-01-05,07:30", -180), ("Europe/Dublin", "2025-07-05,07:30", 60),
      ("Europe/Nowhere", "2026-01-05,07:30", nil), ("Europe/../Madrid", "2026-01-05,07:30", nil),
    ] as [(String, String, Int?)])
  func namedZones(_ zone: String, _ moment: String, _ minutes: Int?) throws {
    let result = try read(["Date,Time,Time Zone,Weight", "\(moment),\(zone),80"])
    #expect(result.edits.first?.moment.map { Int($0.zone.minutes) } == minutes)
    #expect(result.problems.count == (minutes == nil ? 1 : 0))
  }

  @Test("A column of zones has the zone of instants in UTC")
  func zoneOfInstants() throws {
    let text = "2026-07-05T22:30:00Z,\(LocalZone.isZone("Asia/Tokyo") ? "Asia/Tokyo" : "+09:00")"
    #expect(
      try read(["Date,Time Zone,Weight", "\(text),80"]).lines == ["weight 2026-07-06 07:30:00 80"])
  }

  @Test("A row of empty cells or spaces is no problem of a table that names its metrics")
  func emptyRows() throws {
    let result = try read(["Date,Metric,Value", " , , ", ",,", "2026-01-05,weight,80"])
    #expect(result.lines == ["weight 2026-01-05 80"] && result.problems.isEmpty)
  }

  @Test("A column that names people is asked about, also beside ids of rows")
  func people() throws {
    let rows = [
      "anna,2026-01-05,80", "anna,2026-01-06,80", "ben,2026-01-07,90", "ben,2026-01-08,90",
    ]
    #expect(try read(["User,Date,Weight (kg)"] + rows).warnings.count == 1)
    #expect(try read(["User,Date,Weight (kg)"] + rows.prefix(2)).warnings.isEmpty)
    let numbered = rows.enumerated().map { "\($0),\($1)" }
    #expect(try read(["Id,User,Date,Weight (kg)"] + numbered).warnings.count == 1)
  }

  @Test(
    "A name that is a metric only with a unit gives way to another column of the metric",
    arguments: [
      ("Run (km),Walk (km),Distance (km)", "5,2,7", "distance_km 2026-01-05 7"),
      ("Drinks (ml),Water (ml)", "2500,1500", "water_liters 2026-01-05 1.5"),
      ("Steps,Run (km),Walk (km)", "9000,5,2", "steps 2026-01-05 9000"),
    ])
  func namesWithUnits(_ names: String, _ values: String, _ line: String) throws {
    #expect(try read(["Date,\(names)", "2026-01-05,\(values)"]).lines == [line])
  }

  @Test(
    "Rows of several people with one moment ask for one person, others for what tells them apart")
  func peopleAtOneMoment() throws {
    func questions(_ second: String) throws -> [ImportQuestion?] {
      let rows = ["05", "06"].flatMap { ["anna,2026-01-\($0),80", "\(second),2026-01-\($0),90"] }
      return try read(["User,Date,Weight (kg)"] + rows).problems.map(\.question)
    }
    #expect(Set(try questions("ben")) == [ImportQuestion(.source, ["User"])])
    #expect(Set(try questions("anna")) == [ImportQuestion(.id)])
  }

  @Test("An id that repeats on several days names a person")
  func personID() throws {
    let result = try read([
      "Id,Date,Steps", "1503960366,2026-01-05,100", "1503960366,2026-01-06,200",
    ])
    #expect(result.lines == ["steps 2026-01-05 100", "steps 2026-01-06 200"])
    #expect(result.edits[0].sourceID == "csv:steps:2026-01-05")
    #expect(result.notes == ["data.csv: nothing is read from 'Id'"])
  }

  @Test("A row without a time in a table with times is of the whole day")
  func noTime() throws {
    let result = try read(["Date,Time,Weight", "2026-01-05,07:30,80", "2026-01-06,,81"])
    #expect(result.lines == ["weight 2026-01-05 07:30:00 80", "weight 2026-01-06 81"])
  }

  @Test("A column of times beside moments is a duration")
  func durationAsTime() throws {
    let result = try read([
      "Activity Type,Date,Distance,Time", "Running,2026-01-05 07:30:00,5.5,00:45:10",
      "Running,2026-01-06 07:30:00,6.5,00:55:10",
    ])
    #expect(
      result.lines == [
        "distance_km 2026-01-05 07:30:00 5.5", "distance_km 2026-01-06 07:30:00 6.5",
      ])
    #expect(
      try read(["Date,Time,Steps", "2026-01-05 00:00:00,07:30,5"]).problemRows == [2])
    #expect(
      try read(["Date,Time,Steps", "2026-01-05T00:00:00Z,07:30,5"]).lines
        == ["steps 2026-01-05 07:30:00 5"])
  }

  @Test(
    "The name of a zone behind its offset is skipped",
    arguments: [
      "2026-01-06T07:30:00+02:00[Europe/Helsinki]", "2026-01-06 07:30 CEST",
      "Tue Jan 06 2026 07:30:00 GMT+0200 (Eastern European Standard Time)",
    ])
  func zoneName(_ text: String) throws {
    #expect(try read(["Date,Weight", "\(text),80"]).lines == ["weight 2026-01-06 07:30:00 80"])
  }

  // MARK: Vendors

  @Test(
    "A table with a vendor's columns and more is read by its names",
    arguments: [
      ("Date,Weight (kg),Height (cm),Steps,Comments", "2026-01-05,80,180,9000,", 3),
      ("Datum;Größe;Gewicht;Kommentare", "2026-01-05;180;80;", 2),
      ("Date,Calories In,Protein (g),Carbs (g),Fat (g),Weight (kg)", "2026-01-05,2000,9,9,9,80", 5),
      ("Date,Step count,Heart Points,Weight (kg),Sleep (h)", "2026-01-05,9000,5,80,7", 3),
      (
        "Date;Poids (kg);Nombre de pas;Masse grasse (%);Calories brûlées",
        "2026-01-05;80;9000;18;2000", 4
      ),
    ])
  func notTheVendors(_ names: String, _ row: String, _ count: Int) throws {
    #expect(try read([names, row]).edits.count == count)
  }

  @Test("The food log below the tables of Fitbit's site is skipped")
  func foodLog() throws {
    let result = try read([
      "Foods", "Date,Calories In", "\"2026-01-05\",\"2,110.5\"", "", "Sleep",
      "Start Time,End Time,Minutes Asleep", "", "Food Log 20260105", "Daily Totals",
      "\"\",\"Calories\",\"2,110\"", "\"\",\"Fat\",\"70 g\"", "", "Food Log 20260106",
      "Daily Totals", "\"\",\"Calories\",\"2,000\"",
    ])
    #expect(result.lines == ["calories_in 2026-01-05 2110.5"])
    #expect(result.problems.isEmpty)
    #expect(result.skipped.lines.map(\.reason) == ["in a list below a title"])
  }

  @Test("A line of one field within a table is reported, and the table goes on")
  func strayLine() throws {
    let result = try read([
      "Date,Weight", "2026-01-05,80", "stray", "2026-01-06,81", "2026-01-07,82", "end",
    ])
    #expect(result.edits.count == 3 && result.problemRows == [3, 6])
  }

  @Test(
    "Vendors' files in other languages are recognized",
    arguments: [
      (
        [
          "Heure,Poids,Variation,IMC,Masse graisseuse,Masse musculaire squelettique,",
          "\" 5 janv. 2026\",", "07:30,\"80,4 kg\",\"0,1 kg\",\"24,8\",\"18,3 %\",\"35,1 kg\",",
        ], [80.4, 24.8, 18.3]
      ),
      (
        [
          "Heure,Poids,Variation,IMC,Masse grasse,Masse musculaire squelettique,",
          "\" 5 janv. 2026\",", "07:30,\"80,4 kg\",\"0,1 kg\",\"24,8\",\"18,3 %\",\"35,1 kg\",",
        ], [80.4, 24.8, 18.3]
      ),
      (
        [
          "Hora,Peso,Alteração,IMC,Gordura corporal,Massa muscular esquelética,",
          "\" 5 de jan. de 2026\",",
          "07:30,\"80,4 kg\",\"0,1 kg\",\"24,8\",\"18,3 %\",\"35,1 kg\",",
        ], [80.4, 24.8, 18.3]
      ),
      (
        [
          "Datum,Anzahl der Minuten in Bewegung,Kalorien (kcal),Distanz (m),Kardiopunkte,"
            + "Schrittzahl,Durchschnittsgewicht (kg)", "2026-01-05,45,2264.5,8123.5,20,10825,80.4",
        ], [10825, 8.1235, 2264.5, 45, 80.4]
      ),
      (
        [
          "Fecha,Recuento de minutos de actividad,Calorías (kcal),Distancia (m),Puntos cardio,"
            + "Recuento de pasos,Peso medio (kg)", "2026-01-05,45,2264.5,8123.5,20,10825,80.4",
        ], [10825, 8.1235, 2264.5, 45, 80.4]
      ),
      (
        [
          "Aktivitäten",
          "Datum,Verbrannte Kalorien,Schritte,Strecke,Minuten mit leichter Aktivität,"
            + "Minuten mit relativ hoher Aktivität,Minuten mit sehr hoher Aktivität",
          "\"2026-01-05\",\"2.400\",\"10.825\",\"8,1\",\"200\",\"20\",\"30\"",
        ], [10825, 8.1, 2400, 250]
      ),
      (
        [
          "Date de mesure,Poids(kg),IMC,Graisse corporelle(%),Graisse sous-cutanée(%)",
          "\"31/01/2026, 07:30:12\",80.4,24.8,18.3,16",
        ], [80.4, 24.8, 18.3]
      ),
    ] as [([String], [Double])])
  func languages(_ lines: [String], _ quantities: [Double]) throws {
    let result = try read(lines)
    #expect(result.edits.map(\.quantity) == quantities)
    #expect(result.problems.isEmpty)
  }

  // MARK: Messages

  @Test("Problems with one reason have one kind")
  func kinds() throws {
    let rows = (1...9).flatMap { ["2026-01-0\($0),80", "2026-01-0\($0),90"] }
    let result = try read(["Date,Weight"] + rows)
    #expect(result.problems.count == 18 && Set(result.problems.map(\.kind)).count == 1)
    #expect(result.problems.allSatisfy { !$0.kind.isEmpty })
  }

  @Test("Minutes with a colon are asked about, unless the column's name has their form")
  func minutesWithColon() throws {
    let result = try read(["Date,Active time", "2026-01-05,22:38", "2026-01-06,00:22:38"])
    #expect(result.problems.map(\.kind) == ["Active time can be read in two ways"])
    #expect(result.edits.count == 1)
  }

  @Test("An unknown metric in rules is named")
  func unknownMetric() {
    let error = #expect(throws: ImportError.self) {
      try CSVRules(parsing: "date d\nquantity wight = Kilo", name: "x")
    }
    #expect(error?.description.contains("name the metric 'wight', which is unknown") == true)
  }

  @Test(
    "A table with a vendor's columns and times, notes or ids is read by its names",
    arguments: [
      (
        ["Date,Time,Calories In", "2026-01-05,08:00,500", "2026-01-05,13:00,700"],
        ["calories_in 2026-01-05 08:00:00 500", "calories_in 2026-01-05 13:00:00 700"]
      ),
      (
        ["Date,Time,Weight (kg),Fat mass (kg),Comments", "2026-01-05,07:30,80.5,14,hi"],
        ["weight 2026-01-05 07:30:00 80.5"]
      ),
      (
        ["Date,Weight (kg),BMI,Fat (%),Notes", "2026-01-05,80.5,24,18,hi"],
        ["weight 2026-01-05 80.5", "bmi 2026-01-05 24", "body_fat_percentage 2026-01-05 18"]
      ),
    ])
  func ownColumns(_ lines: [String], _ expected: [String]) throws {
    let result = try read(lines)
    #expect(result.lines == expected)
    #expect(result.problems.isEmpty && result.edits.allSatisfy { $0.source == "csv" })
    #expect(result.edits.allSatisfy { ($0.notes == "hi") == lines[1].hasSuffix("hi") })
  }

  // MARK: Moments

  @Test(
    "A column of dates may name its zone",
    arguments: [
      ("Date (EST)", "12:30:00"), ("Timestamp (America/New_York)", "12:30:00"),
      ("Date (UTC)", "07:30:00"), ("UTC Date", "07:30:00"), ("Date (start)", "05:30:00"),
    ])
  func zoneInName(_ name: String, _ time: String) throws {
    let edits = try read(["\(name),Weight", "2026-01-05 07:30,80"]).edits
    let moments = edits.compactMap { $0.moment?.instant(on: $0.date) }
    #expect(moments == [Timestamp("2026-01-05T\(time).000Z")])
  }

  @Test("The name of a zone of several places is refused", arguments: ["IST", "CST", "Eastern"])
  func unclearZone(_ zone: String) {
    #expect(throws: ImportError.self) {
      try read(["Date (\(zone)),Weight", "2026-01-05 07:30,80"])
    }
  }

  @Test(
    "Numbers in a column of zones are what all of them can be",
    arguments: [
      ("Offset", ["-300", "-240"], [-300, -240]), ("Offset", ["330", "480"], [330, 480]),
      ("Offset", ["-0300", "-0330"], [-180, -210]),
      ("Offset", ["-18000", "-14400"], [-300, -240]),
      ("Offset (min)", ["-300", "60"], [-300, 60]),
      ("TZ Offset", ["+02:00", "+01:00"], [120, 60]),
      ("tz_offset_minutes", ["300", "300"], [300, 300]),
    ])
  func zoneNumbers(_ name: String, _ zones: [String], _ minutes: [Int]) throws {
    let rows = zones.enumerated().map { "2026-01-0\($0.offset + 1) 07:30,\($0.element),80" }
    let result = try read(["Date,\(name),Weight"] + rows)
    #expect(result.edits.map { Int($0.moment?.zone.minutes ?? 0) } == minutes)
  }

  @Test("A number that may be hours or minutes, and nothing decides, is refused")
  func openZone() throws {
    #expect(try read(["Date,Offset,Weight", "2026-01-05 07:30,-300,80"]).problemRows == [2])
  }

  @Test(
    "Midnights alone are days",
    arguments: ["2026-01-05 00:00:00", "2026-01-05T00:00:00+01:00", "1/15/2026 12:00:00 AM"])
  func midnights(_ text: String) throws {
    let result = try read(["Date,Steps", "\(text),5000"])
    #expect(result.edits.count == 1 && result.edits.allSatisfy { $0.moment == nil })
    let timed = try read(["Date,Steps", "2026-01-05 00:00:00,50", "2026-01-05 01:00:00,60"])
    #expect(timed.edits.count == 2 && timed.edits.allSatisfy { $0.moment != nil })
  }

  @Test("A timestamp of the same day says the time; one of another day says nothing")
  func timestamps() throws {
    let rows = [
      "Date,Timestamp,Weight", "2026-01-05,2026-01-05 07:00:00,80",
      "2026-01-05,2026-01-05 21:00:00,81",
    ]
    #expect(
      try read(rows).lines == ["weight 2026-01-05 07:00:00 80", "weight 2026-01-05 21:00:00 81"])
    let other = try read(rows + ["2026-01-06,2026-01-07 21:00:00,82"])
    #expect(other.lines == ["weight 2026-01-06 82"])
  }

  @Test(
    "The length of a night decides between seconds, minutes and hours",
    arguments: ["27000", "450", "7.5"])
  func sleepUnits(_ text: String) throws {
    let result = try read([
      "date,Total Sleep Duration,REM Sleep Duration", "2026-01-05,\(text),90",
    ])
    #expect(result.lines == ["sleep_hours 2026-01-05 7.5"])
  }

  @Test("Dates with hyphens whose year is first or last are refused")
  func openYear() {
    #expect(throws: ImportError.self) {
      try read(["Date,Weight", "25-10-20,80", "25-11-20,80.1", "25-12-20,81"])
    }
  }
}
