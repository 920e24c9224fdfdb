import LedgerImport

enum ImportAppleHealthCommand: SourceCommand {
  static let spec = CommandSpec(
    "import apple-health", "import an export of Apple's Health app", group: .write,
    arguments: [
      .required("FILE", "export.zip, or the export.xml in it; - for XML on standard input")
    ],
    options: [
      .value("zone", "Z", "the zone of dates that name none (default: the ledger's)")
    ] + ImportRun.options,
    examples: [
      .init("ledger import apple-health export.zip"),
      .init("ledger import apple-health -", "what 'unzip -p export.zip' pipes into it"),
    ],
    notes: [
      "Steps become sums of the hour; active energy, distance and exercise minutes sums of the day; "
        + "sleep a session of each night, with its stages. What phone and watch both counted "
        + "counts once. Weight, height, body fat, BMI and resting heart rate, food and water become "
        + "entries at their moment.",
      "Sex, birth date and height fill fields that were never set, and change no others.",
      "Importing again, or a later export, adds only what is new; a sum that has grown since is "
        + "corrected, unless you have changed it. A record that cannot be read is left out and "
        + "listed; the exit code is then 5. A file that is cut off is not imported at all.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try run(ImportSource(path: arguments.required("FILE")), arguments, console)
  }

  static func run(
    _ source: ImportSource, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let zone = try ImportRun.zone(arguments)
    let opened = try OpenedLedger.open(arguments, console)
    if let export = try zippedExport(source) {
      return try ImportRun.answer(
        arguments, console, into: opened, zone: zone, totalBytes: export.unpackedBytes
      ) { context in
        try AppleHealthImport.read(export, today: opened.today, context: context)
      }
    }
    let source = try exportInFolder(source) ?? source
    return try ImportRun.answer(
      arguments, console, into: opened, zone: zone, totalBytes: source.sizeBytes
    ) { context in
      try AppleHealthImport.read(source, today: opened.today, context: context)
    }
  }

  private static func zippedExport(_ source: ImportSource) throws(ImportError) -> ZippedExport? {
    guard case .file(let path) = source, !source.isFolder, try ZippedExport.isZip(path) else {
      return nil
    }
    return try ZippedExport(path)
  }

  private static func exportInFolder(_ source: ImportSource) throws -> ImportSource? {
    guard case .file(let path) = source, source.isFolder else { return nil }
    guard let export = try AppleHealthImport.export(inFolder: path) else {
      throw CommandFailure(
        .usage,
        "\(path) is a folder without an export.xml; name the export.zip, or the export.xml in it")
    }
    return export
  }
}
