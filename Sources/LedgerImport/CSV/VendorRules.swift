import LedgerPlatform

/// The rules of the package, one text a kind of file, as a rules file has them. docs/import.md names
/// the source of each format.
package enum VendorRules {
  /// A vendor and its kinds of files.
  private static let texts: [(name: String, kinds: [String])] = [
    ("withings", withings), ("garmin", garmin), ("samsung-health", samsung), ("oura", oura),
    // Renpho's columns are among those of openScale 3.
    ("sleep-cycle", sleepCycle), ("openscale", openScale), ("renpho", renpho),
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
  package static func named(_ name: String, in folder: String?) throws(ImportError) -> [CSVRules] {
    let path = folder.map { "\($0)/\(name).rules" }
    if !name.contains("/"), let source = path.map(ImportSource.file), source.exists {
      let stream = try ByteStream(opening: source)
      var bytes: [UInt8] = []
      while case let piece = try stream.next(), !piece.isEmpty { bytes += piece }
      return [try CSVRules(parsing: String(decoding: bytes, as: UTF8.self), name: name)]
    }
    if let known = try rules(name) { return known }
    throw ImportError(
      .unfit,
      "there are no rules '\(name)': neither \(path ?? "a file") nor those of "
        + names.joined(separator: ", "))
  }

  /// A person's rules that say by which columns a file is recognized.
  ///
  /// - Parameters:
  ///   - folder: where `NAME.rules` files are.
  ///   - report: called with why a file cannot be used; it keeps no other file from being recognized.
  package static func own(
    in folder: String, _ report: (ImportError) -> Void
  ) throws(ImportError) -> [CSVRules] {
    let suffix = ".rules"
    let files: [String]
    do {
      files = try Folder.names(in: folder, on: SystemDisk.shared)
    } catch {
      throw ImportError(.unreadable, "\(error)")
    }
    var own: [CSVRules] = []
    for file in files where file.hasSuffix(suffix) && file.count > suffix.count {
      do throws(ImportError) {
        own += try named(String(file.dropLast(suffix.count)), in: folder)
          .filter { !$0.header.isEmpty }
      } catch {
        report(error)
      }
    }
    return own
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
    header      Skeletal Muscle Mass | Skelettmuskelmasse | Masa muscular esquelética | Masse musculaire squelettique | Massa muscular esquelética
    date-above  yes
    time        Time | Zeit | Hora | Heure
    quantity    weight = Weight | Gewicht | Peso | Poids
    quantity    bmi = BMI | IMC
    quantity    body_fat_percentage = Body Fat | Körperfett | Grasa corporal | Masse graisseuse | Graisse corporelle | Masse grasse | Gordura corporal
    """,
    """
    vendor      Garmin Connect Sleep.csv
    header      Sleep Score 4 Weeks | Sleep Score 7 Days, Duration
    date        Sleep Score 4 Weeks | Sleep Score 7 Days
    date-first  yes
    quantity    sleep_hours = Duration
    quantity    resting_heart_rate = Resting Heart Rate
    missing     --
    """,
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
    header    Sleep Score | Bedtime Start | bedtime_start | Readiness Score | REM Sleep Duration
    date      date | day
    times     drop
    session   Bedtime Start | bedtime_start to Bedtime End | bedtime_end
    quantity  sleep_hours = Total Sleep Duration | total_sleep_duration in s or min or h
    quantity  resting_heart_rate = Average Resting Heart Rate
    quantity  resting_heart_rate = average_heart_rate if type is long_sleep
    quantity  steps = Steps
    quantity  calories_out = Activity Burn | active_calories in kcal
    same-moment sum
    """,
    """
    vendor    Oura, activity
    header    day, active_calories, steps, total_calories
    date      day
    quantity  steps = steps
    quantity  calories_out = active_calories in kcal
    """,
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
    header    Date | Time of Measurement | Datum | Messdatum | Fecha | Date de mesure
    header    Weight | Gewicht | Peso | Poids
    header    Body Fat | Body Fat Percentage | Körperfett | Grasa corporal | Graisse corporelle
    header    Subcutaneous Fat | Visceral Fat | Subkutanes Fett | Viszeralfett | Grasa subcutánea | Graisse sous-cutanée
    date      Date | Time of Measurement | Datum | Messdatum | Fecha | Date de mesure
    time      Time | Zeitraum | Hora
    quantity  weight = Weight | Gewicht | Peso | Poids
    quantity  bmi = BMI | IMC
    quantity  body_fat_percentage = Body Fat | Body Fat Percentage | Körperfett | Grasa corporal | Graisse corporelle
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
    header    Date | Datum, Weight | Gewicht, BMI, Fat | Fett
    date      Date | Datum
    quantity  weight = Weight | Gewicht in kg or lb or st
    quantity  bmi = BMI
    quantity  body_fat_percentage = Fat | Fett in %
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
    header    Date | Datum, Calories Burned | Verbrannte Kalorien, Steps | Schritte
    header    Minutes Very Active | Minuten mit sehr hoher Aktivität
    date      Date | Datum
    quantity  steps = Steps | Schritte
    quantity  distance_km = Distance | Strecke in km or mi
    quantity  calories_out = Calories Burned | Verbrannte Kalorien
    quantity  active_minutes = Minutes Very Active | Minuten mit sehr hoher Aktivität
    quantity  active_minutes = Minutes Fairly Active | Minuten mit relativ hoher Aktivität
    quantity  active_minutes = Minutes Lightly Active | Minuten mit leichter Aktivität
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
    header    Date | Datum | Fecha
    header    Move Minutes count | Heart Points | Anzahl der Minuten in Bewegung | Anzahl der Aktivitätsminuten | Kardiopunkte | Recuento de minutos de actividad | Recuento de minutos activos | Puntos cardio | Minutos de cardio | Nombre de minutes actives | Points cardio
    header    Step count | Schrittzahl | Recuento de pasos | Nombre de pas
    date      Date | Datum | Fecha
    quantity  steps = Step count | Schrittzahl | Recuento de pasos | Nombre de pas
    quantity  distance_km = Distance | Distanz | Distancia
    quantity  calories_out = Calories | Kalorien | Calorías
    quantity  active_minutes = Move Minutes count | Anzahl der Minuten in Bewegung | Anzahl der Aktivitätsminuten | Recuento de minutos de actividad | Recuento de minutos activos | Nombre de minutes actives in min
    quantity  weight = Average weight | Durchschnittsgewicht | Peso medio | Poids moyen
    """
  ]
}
