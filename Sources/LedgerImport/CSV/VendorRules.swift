/// The rules of the package, one text a kind of file, as a rules file has them. docs/import.md names
/// the source of each format.
package enum VendorRules {
  /// A vendor and its kinds of files.
  private static let texts: [(name: String, kinds: [String])] = [
    ("withings", withings), ("garmin", garmin), ("samsung-health", samsung), ("oura", oura),
    ("sleep-cycle", sleepCycle), ("renpho", renpho), ("openscale", openScale),
    ("fitbit-csv", fitbit), ("google-fit", googleFit),
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
    vendor    Withings, weight.csv
    header    Date | Datum | Fecha, Weight | Gewicht | Peso | Poids, Fat mass | Fettmasse | Masa grasa | Masse grasse
    date      Date | Datum | Fecha
    quantity  weight = Weight | Gewicht | Peso | Poids
    notes     Comments | Kommentare | Comentarios | Commentaires
    """
  ]
  private static let garmin: [String] = []
  private static let samsung: [String] = []
  private static let oura: [String] = []
  private static let sleepCycle: [String] = []
  private static let renpho: [String] = []
  private static let openScale: [String] = []
  private static let fitbit: [String] = []
  private static let googleFit: [String] = []
}
