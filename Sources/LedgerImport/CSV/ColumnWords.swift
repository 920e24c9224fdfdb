import LedgerModel

/// Column names in English, German, Spanish, French and Portuguese, as ``ColumnName/base`` has them,
/// for files without rules.
enum ColumnWords {
  /// Columns of dates, in order of preference for the day of the measurement: beside a date, a timestamp
  /// is when a form was sent, and `created at` when the row was written.
  private static let dates: [Set<String>] = [
    [
      "date", "datum", "fecha", "data", "datetime", "date time", "date and time", "datum uhrzeit",
      "datum und uhrzeit", "datum zeit", "fecha y hora", "fecha hora", "date et heure",
      "date heure", "data e hora", "data hora", "zeitpunkt", "time of measurement", "messzeit",
      "messdatum", "messzeitpunkt", "date de mesure", "date de la mesure", "fecha de medicion",
      "data da medicao", "data de medicao", "calendar date", "local date", "iso date",
      "measured at", "measured", "measurement date", "date of measurement",
      "activity date", "log date", "entry date", "aufzeichnungsdatum", "momento",
    ],
    days.union(starts.subtracting(bedtimes)),
    ["timestamp", "zeitstempel", "horodatage", "marca de tiempo", "logged at", "when"],
    ["recorded at", "recorded", "created at", "created", "erstellt am"],
    bedtimes,
  ]
  private static let timestampRank = 2
  private static let days: Set<String> = ["day", "tag", "dia", "jour"]
  /// The columns of a night.
  private static let starts: Set<String> = bedtimes.union([
    "start", "start time", "start date", "startzeit", "startdatum", "zeit von", "inicio",
    "fecha de inicio", "hora de inicio", "debut", "date de debut", "heure de debut",
    "data de inicio", "bedtime start",
  ])
  /// Those that only nights have.
  private static let bedtimes: Set<String> = [
    "bedtime", "bed time", "went to bed", "sleep start", "start of sleep", "fell asleep",
    "sleep from",
    "schlafenszeit", "einschlafzeit", "schlafbeginn", "hora de dormir", "hora de acostarse",
    "heure du coucher", "coucher",
  ]
  private static let ends: Set<String> = wakings.union([
    "end", "end time", "end date", "ende", "endzeit", "enddatum", "zeit bis", "fin",
    "fecha de fin", "hora de fin", "date de fin", "heure de fin", "fim", "data de fim",
    "hora de fim",
  ])
  private static let wakings: Set<String> = [
    "bedtime end", "wake up", "wakeup", "wake time", "wake up time", "wakeup time", "woke up",
    "sleep end", "end of sleep", "sleep to", "sleep until", "aufwachzeit", "aufstehzeit",
    "schlafende",
    "hora de despertar", "heure du reveil", "hora de acordar",
  ]
  static let date: Set<String> = dates.reduce([]) { $0.union($1) }
  static let time: Set<String> = [
    "time", "zeit", "uhrzeit", "hora", "heure", "clock", "time of day", "local time",
    "measurement time",
  ]
  static let zone: Set<String> = [
    "zone", "time zone", "timezone", "zeitzone", "zona horaria", "fuseau horaire", "fuso horario",
    "time offset", "utc offset", "gmt offset", "offset", "zone offset", "time zone offset",
    "timezone offset", "tz offset", "tz",
  ]
  static let id: Set<String> = [
    "id", "uuid", "guid", "source id", "log id", "record id", "datauuid", "measurement id",
  ]
  /// `id` counts where the rules read no id of rows from it.
  static let person = [
    "person", "person id", "user", "user id", "user name", "username", "participant",
    "participant id", "subject", "subject id", "patient id", "patient", "member", "member id",
    "profile", "email", "e mail", "benutzer", "nutzer", "mitglied", "profil", "utilisateur",
    "personne", "membre", "usuario", "persona", "paciente", "perfil", "pessoa", "id",
  ]
  /// Names of people, but in a table of foods, which have names, too.
  static let personName = [
    "name", "first name", "full name", "vorname", "nom", "prenom", "nombre", "nome",
  ]
  static let source: Set<String> = [
    "source", "data source", "source name", "quelle", "datenquelle", "fuente", "origen", "fonte",
    "origem",
  ]
  static let notes: Set<String> = [
    "notes", "note", "comment", "comments", "remark", "remarks", "notiz", "notizen", "kommentar",
    "kommentare", "bemerkung", "nota", "notas", "comentario", "comentarios", "remarque",
    "remarques",
    "commentaire", "commentaires", "observacoes",
  ]

  /// The columns of a table with a row for each quantity.
  static let metricName: Set<String> = [
    "metric", "type", "measurement", "measure", "parameter", "kind", "data type", "category",
    "metrik", "typ", "art", "messgrosse", "metrica", "tipo", "medida", "metrique", "mesure",
    "type de mesure", "tipo de medida",
  ]
  static let quantity: Set<String> = [
    "quantity", "value", "amount", "reading", "qty", "wert", "menge", "messwert", "valor",
    "cantidad", "valeur", "quantite", "quantidade",
  ]
  static let unit: Set<String> = [
    "unit", "units", "einheit", "unidad", "unidades", "unite", "unidade", "uom",
  ]

  /// The metric that a column names; `fat` is a share or a food by its unit.
  static func metric(of column: ColumnName) -> Metric? {
    if foods[column.base] != nil || foods[column.words] != nil {
      switch column.unit.flatMap(UnitName.init)?.name {
      case "%": return .bodyFatPercentage
      case "g", "mg", "oz": return .fatG
      default: return nil
      }
    }
    if fatMasses.contains(column.base) {
      return column.unit == "%" ? .bodyFatPercentage : nil
    }
    // A scale's share of the body, unless the unit says otherwise.
    if waters.contains(column.base) {
      if let unit = column.unit, ColumnName.unclearVolumes.contains(unit.lowercased()) {
        return .waterLiters
      }
      return column.unit.flatMap(UnitName.init)?.suffix(for: .waterLiters) == nil
        ? nil : .waterLiters
    }
    return metrics[column.base] ?? metrics[column.words]
  }

  /// The metric of a name that is one only with a unit: `Run (km)`, `Food (kcal)`, `Trinken (ml)`.
  private static func metricByUnit(of column: ColumnName) -> Metric? {
    guard let metric = namesWithUnits.first(where: { $0.value.contains(column.base) })?.key,
      let unit = column.unit, column.isUnitExplicit
    else { return nil }
    return UnitName(unit)?.suffix(for: metric) == nil ? nil : metric
  }

  private static let namesWithUnits: [Metric: Set<String>] = [
    .distanceKM: ["run", "running", "walk", "walking", "lauf", "laufen"],
    .caloriesIn: ["food", "eaten", "essen", "gegessen"],
    .waterLiters: ["drink", "drinks", "drunk", "trinken", "getrunken"],
  ]

  /// Names with two meanings, which only a unit tells apart.
  private static let foods: [String: Metric] = [
    "fat": .fatG, "fett": .fatG, "grasa": .fatG, "graisse": .fatG, "graisses": .fatG,
    "gordura": .fatG, "gorduras": .fatG, "grasas": .fatG, "lipides": .fatG, "fette": .fatG,
    "lipidos": .fatG, "matieres grasses": .fatG,
  ]

  private static let waters: Set<String> = [
    "water", "wasser", "agua", "eau", "hydration", "hydratation", "hidratacion",
  ]
  /// Names of a mass that in per cent is a share.
  private static let fatMasses: Set<String> = [
    "fat mass", "fettmasse", "masa grasa", "masse grasse", "masse graisseuse", "massa gorda",
  ]

  private static let energies: Set<String> = [
    "calories", "calorie", "kcal", "energy", "kalorien", "energie", "calorias", "energia",
  ]

  /// Whether a column may be either kind of water.
  private static func isAnyWater(_ column: ColumnName) -> Bool {
    waters.contains(column.base) && column.unit == nil
  }

  /// Why nothing is read from a column whose name has two meanings; `nil` for other names.
  static func meanings(of name: String) -> String? {
    let column = ColumnName(name)
    if energies.contains(column.base) || energies.contains(column.words) {
      return "may be what was eaten or burned; call it 'calories in' or 'calories out'"
    }
    guard column.unit == nil else { return nil }
    if isAnyWater(column) {
      return "may be what was drunk or the body's share; name its unit, as "
        + quoted("\(name) (l)")
    }
    return foods[column.base] == nil && metric(of: column) != .proteinG
      ? nil
      : "may be food or the body's share; name its unit, as \(quoted("\(name) (g)")) or "
        + quoted("\(name) (%)")
  }

  static let metrics: [String: Metric] = {
    var metrics: [String: Metric] = [:]
    for metric in Metric.allCases {
      let own = ColumnName.words(metric.name)
      metrics[own.joined(separator: " ")] = metric
    }
    for (metric, names) in known {
      for name in names.split(separator: ",") { metrics[String(name).trimmingSpaces] = metric }
    }
    return metrics
  }()

  private static let known: [(Metric, String)] = [
    (
      .weight,
      "weight, body weight, bodyweight, body mass, gewicht, korpergewicht, peso, peso corporal, poids, "
        + "poids corporel, "
        + "masse corporelle, korpermasse, masa corporal, massa corporal"
    ),
    (.height, "height, body height, grosse, korpergrosse, altura, estatura, taille"),
    (
      .bodyFatPercentage,
      "body fat, body fat percentage, body fat %, fat percentage, fat %, fat ratio, korperfett, "
        + "korperfettanteil, fettanteil, grasa corporal, porcentaje de grasa, masse grasse %, "
        + "graisse corporelle, gordura corporal, taux de masse grasse, taux de graisse, "
        + "taux de graisse corporelle, indice de masse grasse, percentual de gordura, "
        + "percentual de gordura corporal, porcentaje de grasa corporal, indice de grasa corporal, "
        + "% fat, % fett, % grasa, % graisse, % gordura, kfa"
    ),
    (
      .bmi,
      "bmi, body mass index, imc, body mass index bmi, indice de masa corporal, "
        + "indice de masse corporelle, indice de massa corporal"
    ),
    (
      .steps,
      "steps, step count, total steps, daily steps, number of steps, schritte, schrittzahl, "
        + "schrittanzahl, anzahl schritte, anzahl der schritte, schritte gesamt, pasos, "
        + "numero de pasos, recuento de pasos, pasos totales, pas, nombre de pas, "
        + "nombre total de pas, passos, numero de passos, contagem de passos"
    ),
    (
      .caloriesOut,
      "calories burned, calories burnt, active calories, active energy, active energy burned, "
        + "verbrannte kalorien, aktive kalorien, aktivitatskalorien, calorias quemadas, "
        + "calorias activas, calories brulees, calories actives, calorias queimadas, "
        + "calorias gastas, calorias gastadas, calories depensees, kalorienverbrauch, "
        + "verbrannte energie, aktive energie, energia activa, energie active, energia ativa, "
        + "energy burned, total calories burned, "
        + "energy expenditure, energy expended, energieverbrauch, verbrauchte kalorien, "
        + "verbrauchte energie, energia gastada, energia quemada, gasto energetico, gasto calorico, "
        + "energie depensee, energie brulee, depense energetique, depense calorique, energia gasta, "
        + "kalorien verbrannt, kcal verbrannt, kalorien verbraucht, "
        + "energia queimada, kcal burned, kcal burnt, burned calories, verbrannte kcal"
    ),
    (
      .caloriesIn,
      "calories in, calories eaten, kcal eaten, kcal consumed, eaten calories, gegessene kalorien, "
        + "kcal gegessen, gegessene kcal, kalorien gegessen, kalorienzufuhr, energiezufuhr, "
        + "kalorien aufgenommen, calories ingerees, "
        + "calories consumed, energy consumed, dietary energy, "
        + "calorie intake, aufgenommene kalorien, kalorienaufnahme, calorias consumidas, "
        + "calories consommees, calorias ingeridas, "
        + "energy intake, caloric intake, energieaufnahme, aufgenommene energie, "
        + "ingesta calorica, ingesta de calorias, energia consumida, energia ingerida, "
        + "apport calorique, apport energetique, energie consommee, ingestao calorica, "
        + "ingestao de calorias"
    ),
    (
      .distanceKM,
      "distance, total distance, distanz, strecke, entfernung, zuruckgelegte strecke, "
        + "zuruckgelegte distanz, distancia, distancia total, distancia recorrida, "
        + "distancia percorrida, distance parcourue, "
        + "gelaufene strecke, laufstrecke, distance walked, distancia caminada, "
        + "distance marchee, distancia caminhada"
    ),
    (
      .activeMinutes,
      "active minutes, exercise minutes, active time, exercise time, aktive minuten, "
        + "trainingsminuten, minutos activos, minutos de ejercicio, minutes actives, "
        + "minutes d exercice, minutos ativos, trainingszeit, aktivitatsminuten, "
        + "bewegungsminuten, minutos de actividad, minutes d activite, minutos de atividade"
    ),
    (
      .sleepHours,
      "sleep, asleep, time asleep, minutes asleep, hours asleep, hours of sleep, sleep duration, "
        + "sleep time, total sleep duration, total sleep, schlaf, schlafdauer, schlafzeit, sueno, "
        + "horas de sueno, duracion del sueno, sommeil, duree du sommeil, duree de sommeil, sono, "
        + "duracao do sono, heures de sommeil, temps de sommeil, minutes de sommeil, "
        + "horas de sono, tempo de sono, minutos de sono, tiempo de sueno, minutos de sueno, "
        + "schlafstunden, stunden schlaf, minuten schlaf, "
        + "slept, time slept, geschlafen, hours slept, geschlafene stunden, horas dormidas, tiempo dormido, "
        + "heures dormies, tempo dormido"
    ),
    (
      .waterLiters,
      "water intake, drinking water, water consumed, wasseraufnahme, wasserkonsum, trinkmenge, "
        + "agua bebida, agua consumida, agua ingerida, consumo de agua, eau bue, "
        + "consommation d eau, "
        + "water drunk, getrunkenes wasser, eau consommee, agua tomada"
    ),
    (
      .restingHeartRate,
      "resting heart rate, resting hr, resting pulse, rhr, ruhepuls, ruheherzfrequenz, "
        + "frecuencia cardiaca en reposo, frequence cardiaque au repos, fc au repos, "
        + "frequencia cardiaca em repouso, pulso en reposo, pulso em repouso, pouls au repos, "
        + "frecuencia cardiaca de reposo, frequence cardiaque de repos, "
        + "frequencia cardiaca de repouso, ritmo cardiaco en reposo, rythme cardiaque au repos, "
        + "fc en reposo, fc em repouso, herzfrequenz in ruhe, puls in ruhe"
    ),
    (.moodScore, "mood, stimmung, laune, humor, humeur, estado de animo"),
    (.proteinG, "protein, proteins, eiweiss, proteinas, proteines, proteine, proteina"),
    (
      .carbsG,
      "carbs, carbohydrates, carbohydrate, kohlenhydrate, carbohidratos, hidratos de carbono, "
        + "hydrates de carbone, glucides, carboidratos"
    ),
    (.fatG, "total fat, dietary fat"),
  ]

  /// Whether columns have a start and an end of something that they do not name, and no metric.
  static func arePeriods(_ columns: [ColumnName]) -> Bool {
    func has(_ words: Set<String>) -> Bool { columns.contains { words.contains($0.words) } }
    return has(starts) && has(ends) && !has(bedtimes)
      && columns.allSatisfy { metric(of: $0) == nil }
  }

  /// Whether columns are those of a training log.
  static func areExercises(_ columns: [ColumnName]) -> Bool {
    columns.contains { ["reps", "set order", "wiederholungen"].contains($0.base) }
  }

  /// The rules that a header without a vendor suggests.
  ///
  /// - Returns: `nil` without a date or a metric.
  static func rules(for columns: [ColumnName], _ names: [String]) -> CSVRules? {
    var rules = CSVRules()
    rules.isExact = true
    func all(_ words: Set<String>) -> [String] {
      columns.indices.filter {
        words.contains(columns[$0].base) || words.contains(columns[$0].words)
          || words.contains(columns[$0].withoutZone)
      }.map { names[$0] }
    }
    func column(_ words: Set<String>) -> [String] { Array(all(words).prefix(1)) }
    if let rank = dates.firstIndex(where: { !column($0).isEmpty }) {
      rules.date = column(dates[rank])
      // A day beside the start of a night may well differ.
      if dates[rank].isDisjoint(with: ["start"]) {
        rules.otherDates = all(dates[rank]) + (rank == 0 ? all(days) : [])
      }
      if rank < timestampRank { rules.timestamp = column(dates[timestampRank]) }
    }
    rules.time = column(time)
    rules.zone = column(zone)
    rules.id = column(id)
    rules.guessesRoles = true
    rules.sourceColumn = column(source)
    rules.notes = column(notes)
    // The only column of time may hold whole moments.
    if rules.date.isEmpty { swap(&rules.date, &rules.time) }
    for (index, column) in columns.enumerated() {
      guard let metric = metric(of: column), !isAnother(column, metric),
        !rules.quantities.contains(where: { $0.metric == metric })
      else { continue }
      rules.quantities.append(.init(metric: metric, columns: [names[index]]))
    }
    // A name that is a metric only with a unit, if it is the only one, and no other column has the metric.
    let named = columns.map(metricByUnit)
    for (index, metric) in named.enumerated() {
      guard let metric, named.count(where: { $0 == metric }) == 1,
        !rules.quantities.contains(where: { $0.metric == metric })
      else { continue }
      rules.quantities.append(.init(metric: metric, columns: [names[index]]))
    }
    if let place = columns.firstIndex(where: isAnyWater),
      !rules.quantities.contains(where: { $0.metric == .waterLiters })
    {
      rules.quantities.append(
        .init(metric: .waterLiters, columns: [names[place]], needsCellUnit: true))
    }
    if let place = weightByUnit(columns) {
      rules.quantities.append(.init(metric: .weight, columns: [names[place]]))
    }
    if rules.quantities.allSatisfy(\.needsCellUnit) {
      rules.metricColumn = column(metricName)
      rules.quantityColumn = column(quantity)
      if !rules.metricColumn.isEmpty, !rules.quantityColumn.isEmpty { rules.quantities = [] }
    }
    let (start, end) = (column(starts), column(ends))
    if !start.isEmpty, !end.isEmpty, rules.quantities.contains(where: { $0.metric == .sleepHours })
    {
      rules.session = CSVRules.Period(start: start, end: end, isGuess: true)
    } else if rules.quantityColumn.isEmpty, !column(bedtimes).isEmpty, !column(wakings).isEmpty,
      rules.quantities.isEmpty || rules.date != column(bedtimes)
    {
      rules.session = CSVRules.Period(start: column(bedtimes), end: column(wakings))
      rules.quantities.append(
        .init(metric: .sleepHours, columns: column(wakings), isPeriod: true))
    }
    // Only nights are dated by their bedtime.
    if rules.session == nil, Self.bedtimes.contains(where: { column([$0]) == rules.date }) {
      return nil
    }
    rules.unitColumn = column(unit)
    // Its weights and distances are not the body's weight and the day's distance.
    if areExercises(columns) {
      rules.quantities.removeAll { $0.metric == .weight || $0.metric == .distanceKM }
    }
    // Without other foods, protein is a scale's share of the body.
    let foods = rules.quantities.contains { $0.metric == .carbsG || $0.metric == .caloriesIn }
    if !foods {
      rules.quantities.removeAll { quantity in
        quantity.metric == .proteinG && quantity.columns.contains { ColumnName($0).unit == nil }
      }
    }
    let hasQuantity =
      !rules.quantities.isEmpty || (!rules.metricColumn.isEmpty && !rules.quantityColumn.isEmpty)
    return rules.date.isEmpty || !hasQuantity ? nil : rules
  }

  private static let weightUnits: Set<String> = [
    "kg", "kgs", "kilos", "kilograms", "lb", "lbs", "pounds", "st", "stone",
  ]

  /// A column that is called as a unit of weight, in a table with no other thing that has a weight.
  private static func weightByUnit(_ columns: [ColumnName]) -> Int? {
    let places = columns.indices.filter { weightUnits.contains(columns[$0].words) }
    let others = columns.indices.filter { !places.contains($0) }.map { columns[$0] }
    let known = date.union(time).union(zone).union(id).union(notes)
    let isOfBody = others.allSatisfy { column in
      known.contains(column.words) || energies.contains(column.base)
        || metric(of: column).map { $0 != .weight } ?? false
    }
    return places.count == 1 && isOfBody ? places[0] : nil
  }

  /// Whether the unit is one of other metrics, so that the column holds something else: a protein in
  /// per cent. A unit that is not known is refused later.
  private static func isAnother(_ column: ColumnName, _ metric: Metric) -> Bool {
    guard metric == .proteinG, let unit = column.unit.flatMap(UnitName.init) else { return false }
    return unit.suffix(for: metric) == nil
  }
}
