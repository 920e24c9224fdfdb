/// The files of a download of Google Takeout that importers read: in a folder of it, in the zip, in one
/// file of it, or in the several zips of one download.
package struct TakeoutFiles {
  let download: DownloadFiles
  /// The other files of health data, those of several days as one: `heart_rate-*.json`.
  private(set) var unread: [String] = []

  /// - Returns: `nil` for something else.
  /// - Throws: ``ImportError`` if the zip or a folder cannot be read.
  package init?(_ path: String) throws(ImportError) {
    if let download = try DownloadFiles(path, where: Self.isWanted) {
      guard !download.files.isEmpty else { return nil }
      try Self.checkDistinct(download)
      self.download = download
      unread = try Self.unread(path)
    } else if try Self.isList(path) {
      download = DownloadFiles(file: path)
    } else {
      return nil
    }
  }

  /// - Parameter parts: those of one download, which share no file.
  private init(_ parts: [TakeoutFiles]) {
    download = DownloadFiles(parts.map(\.download))
    unread = Set(parts.flatMap(\.unread)).sorted()
  }

  /// Several zips, or unpacked folders, of one download: `takeout-20260131T101112Z-001.zip` and `…-002.zip`.
  ///
  /// - Returns: `nil` if they are not.
  /// - Throws: ``ImportError`` if one cannot be read, or two have the same file: the sum of both would
  ///   count something twice.
  package init?(parts paths: [String]) throws(ImportError) {
    guard paths.count > 1, let first = paths.first.flatMap(Self.stem),
      paths.allSatisfy({ Self.stem($0) == first })
    else { return nil }
    var parts: [TakeoutFiles] = []
    var known: [String: String] = [:]
    for path in paths {
      // A part may have files of other products alone.
      guard let part = try TakeoutFiles(path) else { continue }
      for file in part.download.files where !Self.isProfile(file.path) {
        if let other = known.updateValue(path, forKey: Self.content(file.name)) {
          let parts = [other, path].map { quoted(ImportSource.file($0).name) }
          throw ImportError(
            .unfit,
            "\(parts[0]) and \(parts[1]) both have \(quoted(file.name)), so they are not parts of one "
              + "Takeout; leave out one of them")
        }
      }
      parts.append(part)
    }
    guard !known.isEmpty else { return nil }
    self.init(parts)
  }

  /// A copy of a file, or another download beside it, would be counted twice.
  ///
  /// - Throws: ``ImportError`` that names both.
  private static func checkDistinct(_ download: DownloadFiles) throws(ImportError) {
    var known: [String: String] = [:]
    for file in download.files where !isProfile(file.path) {
      if let other = known.updateValue(file.path, forKey: content(file.name)) {
        throw ImportError(
          .unfit,
          "\(download.name): \(quoted(other)) and \(quoted(file.path)) are of the same time; leave out one "
            + "of them")
      }
    }
  }

  private static let healthFolders: Set<String> = [
    "Fitbit", "Fit", "Google Fit", "Google Health", "Health Connect",
  ]

  private static func unread(_ path: String) throws(ImportError) -> [String] {
    let endings = [".json", ".csv", ".tcx"]
    let others = try DownloadFiles(path) { name in
      endings.contains { name.lowercased().hasSuffix($0) } && !isWanted(name)
    }
    let root = path.split(separator: "/").map(String.init)
    var kinds: Set<String> = []
    for file in others?.files ?? [] {
      let folders = root + file.path.split(separator: "/").dropLast().map(String.init)
      guard folders.contains(where: healthFolders.contains) else { continue }
      let name = file.name.replacing(/\d{4}-\d{2}.*\./, with: "*.")
      kinds.insert(name.hasPrefix("*") ? "\(folders.last ?? "")/\(name)" : name)
    }
    return kinds.sorted()
  }

  /// A list's name up to its day: `steps-2026-01-04.json` and `steps-2026-01-04 (1).json` have the same.
  private static func content(_ name: String) -> String {
    guard let end = name.firstRange(of: /-\d{4}-\d{2}-\d{2}/)?.upperBound else { return name }
    return String(name[..<end])
  }

  /// The name of a part without its number; `nil` for another name.
  package static func stem(_ path: String) -> String? {
    var name = ImportSource.file(path).name[...]
    if name.lowercased().hasSuffix(".zip") { name = name.dropLast(4) }
    let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
    return digits == 3 ? String(name.dropLast(3)) : nil
  }

  private static func isWanted(_ path: String) -> Bool {
    FitbitTakeout.isKnown(ImportSource.file(path).name) || isFitTable(path) || isProfile(path)
  }

  /// Google Fit's table of days, whose name is in the account's language.
  static func isFitTable(_ path: String) -> Bool {
    fitTables.contains(ImportSource.file(path).name)
  }

  private static let fitTables: Set<String> = [
    "Daily activity metrics.csv", "Daily Activity Metrics.csv", "Tägliche Aktivitätswerte.csv",
    "Métricas de actividad diaria.csv",
  ]

  /// Fitbit's profile, with the account's units.
  static func isProfile(_ path: String) -> Bool { ImportSource.file(path).name == "Profile.csv" }

  /// Whether a file is one of Fitbit's lists, by its name and what its samples have.
  private static func isList(_ path: String) throws(ImportError) -> Bool {
    let file = ImportSource.file(path)
    guard FitbitTakeout.isKnown(file.name), file.sizeBytes != nil else { return false }
    let first = try ByteStream(opening: file, chunkBytes: 4096).next()
    let text = String(decoding: first, as: UTF8.self)
    return ["dateTime", "dateOfSleep", "logId"].contains { text.contains("\"\($0)\"") }
  }
}
