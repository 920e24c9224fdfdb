/// The rules of the package, one text a kind of file, as a rules file has them. docs/import.md names
/// the source of each format.
package enum VendorRules {
  /// A vendor and its kinds of files.
  private static let texts: [(name: String, kinds: [String])] = [
    ("withings", withings), ("garmin", garmin), ("samsung-health", samsung), ("oura", oura),
    ("sleep-cycle", sleepCycle), ("renpho", renpho), ("openscale", openScale),
    ("fitbit", fitbit), ("google-fit", googleFit), ("strong", strong),
  ]

  /// The names for `--rules`.
  package static let names = texts.map(\.name)

  package static func all() throws(ImportError) -> [CSVRules] {
    var all: [CSVRules] = []
    for (name, _) in texts { all += try rules(name) ?? [] }
    return all
  }

  /// The rules of a person's file, else those of the package.
  ///
  /// - Parameter folder: where `NAME.rules` files are.
  /// - Throws: ``ImportError`` if there are none of that name, or a line is no rule.
  package static func named(_ name: String, in folder: String) throws(ImportError) -> [CSVRules] {
    let path = "\(folder)/\(name).rules"
    let source = ImportSource.file(path)
    if !name.contains("/"), source.exists {
      let stream = try ByteStream(opening: source)
      var bytes: [UInt8] = []
      while case let piece = try stream.next(), !piece.isEmpty { bytes += piece }
      return [try CSVRules(parsing: String(decoding: bytes, as: UTF8.self), name: name)]
    }
    if let known = try rules(name) { return known }
    throw ImportError(
      .unfit,
      "there are no rules '\(name)': neither \(path) nor those of \(names.joined(separator: ", "))")
  }

  private static func rules(_ name: String) throws(ImportError) -> [CSVRules]? {
    guard let kinds = texts.first(where: { $0.name == name })?.kinds else { return nil }
    var rules: [CSVRules] = []
    for text in kinds { rules.append(try CSVRules(parsing: text, name: name)) }
    return rules
  }
}

extension VendorRules {
  private static let withings = [
    """
    vendor    Withings weight.csv
    header    Date | Datum | Fecha | Data, Weight | Gewicht | Peso | Poids
    header    Fat mass | Fettmasse | Masa grasa | Masse grasse | Massa gorda
    date      Date | Datum | Fecha | Data
    quantity  weight = Weight | Gewicht | Peso | Poids
    notes     Comments | Kommentare | Comentarios | Commentaires
    """,
    """
    vendor    Withings height.csv
    header    Date | Datum | Fecha | Data, Height | Größe | Altura | Taille
    header    Comments | Kommentare | Comentarios | Commentaires
    date      Date | Datum | Fecha | Data
    quantity  height = Height | Größe | Altura | Taille
    notes     Comments | Kommentare | Comentarios | Commentaires
    """,
  ]

  private static let garmin = [
    """
    vendor      Garmin Connect Weight.csv
    header      Time | Zeit | Hora | Heure, Weight | Gewicht | Peso | Poids
    header      Skeletal Muscle Mass | Skelettmuskelmasse | Masa muscular esquelética
    date-above  yes
    time        Time | Zeit | Hora | Heure
    quantity    weight = Weight | Gewicht | Peso | Poids
    quantity    bmi = BMI | IMC
    quantity    body_fat_percentage = Body Fat | Körperfett | Grasa corporal
    """
  ]

  private static let samsung = [
    """
    vendor    Samsung Health weight
    header    start_time | com.samsung.health.weight.start_time
    header    time_offset | com.samsung.health.weight.time_offset
    header    weight | com.samsung.health.weight.weight
    date      start_time | com.samsung.health.weight.start_time
    zone      time_offset | com.samsung.health.weight.time_offset
    times     utc
    id        datauuid | com.samsung.health.weight.datauuid
    quantity  weight = weight | com.samsung.health.weight.weight in kg
    quantity  body_fat_percentage = body_fat | com.samsung.health.weight.body_fat in %
    """,
    """
    vendor    Samsung Health daily steps
    header    day_time | com.samsung.health.step_count.day_time, source_type
    header    count | com.samsung.health.step_count.count
    date      day_time | com.samsung.health.step_count.day_time
    times     drop
    if        source_type is -2
    quantity  steps = count | com.samsung.health.step_count.count
    quantity  distance_km = distance in m
    quantity  calories_out = calorie in kcal
    """,
  ]

  private static let oura = [
    """
    vendor    Oura
    header    date | day, Total Sleep Duration | total_sleep_duration
    date      date | day
    times     drop
    session   Bedtime Start | bedtime_start to Bedtime End | bedtime_end
    quantity  sleep_hours = Total Sleep Duration | total_sleep_duration in s
    quantity  resting_heart_rate = Average Resting Heart Rate | average_heart_rate
    quantity  steps = Steps
    quantity  calories_out = Activity Burn | active_calories in kcal
    same-moment sum
    """
  ]

  private static let sleepCycle = [
    """
    vendor      Sleep Cycle
    header      Start | Went to bed, End | Woke up, Sleep quality, Time in bed | Time asleep
    date        End | Woke up
    times       drop
    session     Start | Went to bed to End | Woke up
    quantity    sleep_hours = Time asleep | Time in bed
    same-moment sum
    """
  ]

  private static let renpho = [
    """
    vendor    Renpho
    header    Date | Time of Measurement | Datum | Messdatum, Weight | Gewicht
    header    Body Fat | Body Fat Percentage | Körperfett
    header    Subcutaneous Fat | Visceral Fat | Subkutanes Fett | Viszeralfett
    date      Date | Time of Measurement | Datum | Messdatum
    time      Time | Zeitraum
    quantity  weight = Weight | Gewicht
    quantity  bmi = BMI
    quantity  body_fat_percentage = Body Fat | Body Fat Percentage | Körperfett
    notes     Remarks | Bemerkungen
    """
  ]

  private static let openScale = [
    """
    vendor    openScale
    header    dateTime, weight, fat, water, muscle, biceps
    date      dateTime
    quantity  weight = weight in kg
    quantity  body_fat_percentage = fat in %
    notes     comment
    missing   0 | 0.0
    """,
    """
    vendor    openScale
    header    DATE, TIME, WEIGHT, BODY_FAT, MUSCLE, BICEPS
    date      DATE
    time      TIME
    quantity  weight = WEIGHT in kg or lb or st
    quantity  bmi = BMI
    quantity  body_fat_percentage = BODY_FAT in %
    notes     COMMENT
    missing   0 | 0.0
    """,
  ]

  private static let fitbit = [
    """
    vendor    Fitbit, body
    header    Date, Weight, BMI, Fat
    date      Date
    quantity  weight = Weight in kg or lb or st
    quantity  bmi = BMI
    quantity  body_fat_percentage = Fat in %
    """,
    """
    vendor    Fitbit, foods
    header    Date, Calories In
    date      Date
    quantity  calories_in = Calories In
    same-moment refuse
    """,
    """
    vendor    Fitbit, activities
    header    Date, Calories Burned, Steps, Minutes Very Active
    date      Date
    quantity  steps = Steps
    quantity  distance_km = Distance in km or mi
    quantity  calories_out = Calories Burned
    quantity  active_minutes = Minutes Very Active
    quantity  active_minutes = Minutes Fairly Active
    quantity  active_minutes = Minutes Lightly Active
    same-moment sum
    """,
    """
    vendor      Fitbit, sleep
    header      Start Time, End Time, Minutes Asleep
    date        End Time
    times       drop
    session     Start Time to End Time
    quantity    sleep_hours = Minutes Asleep
    same-moment sum
    """,
  ]

  private static let strong = [
    """
    vendor      Strong
    header      Date | Datum, Exercise Name | Übungsname, Set Order | Satz-Reihenfolge
    date        Date | Datum
    quantity    active_minutes = Duration | Workout Duration | Dauer | Trainingsdauer
    same-moment first
    """
  ]

  private static let googleFit = [
    """
    vendor    Google Fit, daily metrics
    header    Date, Move Minutes count | Heart Points, Step count
    date      Date
    quantity  steps = Step count
    quantity  distance_km = Distance
    quantity  calories_out = Calories
    quantity  active_minutes = Move Minutes count in min
    quantity  weight = Average weight
    """
  ]
}
