import LedgerModel
import LedgerPlatform

/// Turns any CSV file into entries: by a person's mapping, by rules, or by the names of its columns.
package enum CSVImport {
  /// - Throws: ``ImportError`` if the mapping contradicts itself or the file, or the file cannot be
  ///   read. Unreadable rows are in ``ImportResult/problems``.
  package static func read(
    _ source: ImportSource, mapping: CSVMapping, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try mapping.check()
    let rules = CSVRules(mapping)
    return try read(source, context) { columns, file throws(ImportError) in
      try CSVPlan(rules, columns: columns, in: file, system: context.unitSystem)
    } misfit: { columns, file in
      missing(rules, columns, file)
    }
  }

  /// Reads a file by rules, such as those of a vendor.
  ///
  /// - Throws: ``ImportError`` if the file does not have the columns of the rules or cannot be read.
  package static func read(
    _ source: ImportSource, rules: [CSVRules], context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try read(source, context) { columns, file throws(ImportError) in
      for rules in rules {
        if let plan = try CSVPlan(
          rules, columns: columns, in: file, system: context.unitSystem)
        {
          return plan
        }
      }
      return nil
    } misfit: { columns, file in
      let names = rules.map(\.vendor).joined(separator: ", ")
      let missing = rules.map { $0.missing(from: columns) }.min { $0.count < $1.count }
      let lacks = (missing ?? []).map(quoted).joined(separator: ", ")
      return ImportError(
        .unfit,
        "\(file) does not have the columns of \(names)" + (lacks.isEmpty ? "" : ": no \(lacks)")
          + "; its columns are \(CSVTable.listed(columns))")
    }
  }

  /// Reads a file by the rules that fit its header, else by the names of its columns.
  ///
  /// - Throws: ``ImportError`` if no row names a date and a metric, or the file cannot be read.
  package static func read(
    recognizing source: ImportSource, rules: [CSVRules],
    adjust: (CSVRules) -> CSVRules = { $0 }, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    func byNames(_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan? {
      guard let rules = ColumnWords.rules(for: columns.map { ColumnName($0) }, columns) else {
        return nil
      }
      return try CSVPlan(adjust(rules), columns: columns, in: file, system: context.unitSystem)
    }
    return try read(source, context) { columns, file throws(ImportError) in
      for rules in rules where !rules.header.isEmpty {
        if let plan = try CSVPlan(
          rules, columns: columns, in: file, system: context.unitSystem)
        {
          // A table that happens to have a vendor's columns and more is not the vendor's.
          if let named = try? byNames(columns, file),
            named.hasFoods(besides: plan) || plan.isPlain && named.tellsMore(than: plan)
          {
            return named
          }
          return plan
        }
      }
      return try byNames(columns, file)
    } misfit: { columns, file in
      let listed = "its columns are \(CSVTable.listed(columns))"
      if let repeated = CSVTable.repeated(columns) {
        return ImportError(
          .unfit, "\(file) has '\(repeated)' twice; \(listed); rename or remove one of the two")
      }
      if ColumnWords.areExercises(columns.map { ColumnName($0) }) {
        return ImportError(
          .unfit,
          "\(file) is a list of exercises: its weights and distances are not those of a body and a day, "
            + "and it has no duration; \(listed)")
      }
      for name in columns {
        guard let meanings = ColumnWords.meanings(of: name) else { continue }
        return ImportError(.unfit, "\(file): \(quoted(name)) \(meanings)")
      }
      if ColumnWords.arePeriods(columns.map { ColumnName($0) }) {
        return ImportError(
          .unfit,
          "\(file) has a start and an end, and no metric; of sleep they are called 'Sleep start' and "
            + "'Sleep end'; \(listed)")
      }
      return ImportError(
        .unfit,
        "\(file) has no row that names a date and a metric; \(listed)",
        asking: ImportQuestion(.columns))
    }
  }

  /// What tells an import how to read a table.
  enum Recognition {
    case rules
    /// The names of its columns alone.
    case columns
    case nothing
  }

  /// How a file could be read, though it may have to be refused for another reason.
  ///
  /// - Throws: ``ImportError`` if the file cannot be read.
  static func recognition(
    of source: ImportSource, _ rules: [CSVRules]
  ) throws(ImportError) -> Recognition {
    let context = ImportContext { EntryID(LedgerUUID(high: 0, low: 0)) }
    var recognition = Recognition.nothing
    do throws(ImportError) {
      _ = try CSVLayout(of: source, context) { columns, file throws(ImportError) in
        for rules in rules where !rules.header.isEmpty {
          let plan = try CSVPlan(rules, columns: columns, in: file, system: context.unitSystem)
          if plan != nil { recognition = .rules }
          if let plan { return plan }
        }
        guard ColumnWords.rules(for: columns.map { ColumnName($0) }, columns) != nil else {
          return nil
        }
        recognition = .columns
        return nil
      } misfit: { _, file in
        ImportError(.unfit, "\(file) has none of the columns")
      }
    } catch {
      guard error.kind == .unfit else { throw error }
    }
    return recognition
  }

  private static func read(
    _ source: ImportSource, _ context: ImportContext,
    choose: (_ columns: [String], _ file: String) throws(ImportError) -> CSVPlan?,
    misfit: (_ columns: [String], _ file: String) -> ImportError
  ) throws(ImportError) -> ImportResult {
    let source = try source.rereadable()
    let layout = try CSVLayout(of: source, context, choose: choose, misfit: misfit)
    var rows = CSVRows(layout, context)
    var reader = CSVReader(
      try ByteStream(opening: source, progress: context.progress), dialect: layout.dialect)
    var record = CSVRecord()
    while try reader.next(into: &record) { rows.take(record) }
    return try rows.finish()
  }

  /// The error that names the first column of a person's mapping that is not there.
  private static func missing(
    _ rules: CSVRules, _ columns: [String], _ file: String
  ) -> ImportError {
    let wanted =
      rules.quantities.flatMap(\.columns) + rules.date + rules.time + rules.notes + rules.zone
      + rules.id
    for column in wanted {
      do throws(ImportError) {
        _ = try CSVTable.column(column, of: columns, in: file)
      } catch {
        return error
      }
    }
    return ImportError(.unfit, "\(file) has no row with the columns \(CSVTable.listed(wanted))")
  }
}
