import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Downloads as vendors deliver them, and files that are pipes.
@Suite(.blocks) struct DownloadTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private static let withings = [
    (
      "weight.csv",
      "Date,\"Weight (kg)\",\"Fat mass (kg)\",Comments\n\"2026-01-05 07:30:00\",80.1,15,\n"
    ),
    ("height.csv", "Date,\"Height (m)\",Comments\n\"2026-01-05 07:30:00\",1.8,\n"),
    ("sleep.csv", "from,to,\"light (s)\"\n2026-01-05T23:00:00,2026-01-06T07:00:00,10000\n"),
  ]

  @Test("The tables of a vendor's zip or folder come in, and the others are named")
  func tables() throws {
    try ledger.folder.write(
      StoredZip.bytes(Self.withings.map { (name: $0.0, text: $0.1) }), to: "data.zip")
    try FileManager.default.createDirectory(
      atPath: "\(ledger.folder.path)/data", withIntermediateDirectories: true)
    for (name, text) in Self.withings {
      try ledger.folder.write(Data(text.utf8), to: "data/\(name)")
    }
    let first = try ledger.run("import", "data.zip")
    #expect(
      first.code == 0
        && first.error.contains(
          "data.zip: not read, as no row names a date and a metric: 'sleep.csv'")
    )
    #expect(try ledger.log().lines.dropFirst().map { $0.data["quantity"]?.number } == [180, 80.1])
    for words in [["import", "data"], ["import", "withings", "data.zip"]] {
      let again = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(again.code == 0 && again.error.contains("Withings weight.csv"), "\(again.error)")
    }
    #expect(try ledger.log().lines.count == 3)
    #expect(try ledger.run("import", "garmin", "data.zip").code == 2)
  }

  @Test("Of a folder without a vendor's tables, each is named with why it is not read")
  func otherTables() throws {
    try FileManager.default.createDirectory(
      atPath: "\(ledger.folder.path)/data", withIntermediateDirectories: true)
    for (name, text) in [
      ("steps.csv", "Date,Steps\n2026-01-05,9000\n"), ("people.csv", "name,phone\na,1\n"),
    ] {
      try ledger.folder.write(Data(text.utf8), to: "data/\(name)")
    }
    let refused = try ledger.run("import", "data")
    #expect(refused.code == 2)
    #expect(
      refused.error.hasPrefix(
        """
        data: not read, as no rules recognize them: 'steps.csv'; name one to read it by its columns
        data: not read, as no row names a date and a metric: 'people.csv'

        """))
  }

  @Test("The zips of one Takeout are one import")
  func takeout() throws {
    func write(_ day: String, to name: String) throws {
      let samples = (0..<24).map {
        #"{"dateTime":"01/\#(day)/26 \#("\(100 + $0)".dropFirst()):00:00","value":"100"}"#
      }
      let file = "Takeout/Fitbit/Global Export Data/calories-2026-01-\(day).json"
      try ledger.folder.write(
        StoredZip.bytes([(file, "[\(samples.joined(separator: ","))]")]), to: name)
    }
    try write("04", to: "takeout-001.zip")
    try write("05", to: "takeout-002.zip")
    let files = ["import", "takeout-001.zip", "takeout-002.zip"]
    for count in [3, 0] {
      let result = try Executable.ledger.run(
        files + ["--json"], environment: ["TZ": "Asia/Tokyo"], in: ledger.folder.path)
      #expect(result.code == 0 && result.output.hasPrefix(#"{"added":\#(count),"#), "\(result)")
    }
    #expect(
      try ledger.log().lines.dropFirst().map { $0.data["quantity"]?.number } == [1500, 2400, 900])
    let other = try TestLedger()
    for name in ["takeout-001.zip", "takeout-002.zip"] {
      try other.folder.write(ledger.folder.bytes(name), to: name)
    }
    #expect(try other.run("import", "takeout-001.zip", zone: "Asia/Tokyo").code == 0)
    let second = try other.run("import", "fitbit", "takeout-002.zip", zone: "Asia/Tokyo")
    #expect(second.code == 2 && second.error.contains("only a part of the calories_out of 1 day"))
  }

  @Test("The folder of an unpacked export of Apple's is found")
  func unpackedExport() throws {
    try FileManager.default.createDirectory(
      atPath: "\(ledger.folder.path)/apple_health_export", withIntermediateDirectories: true)
    try ledger.folder.write(
      Data(ImportAppleHealthTests.export(ImportAppleHealthTests.morning).utf8),
      to: "apple_health_export/Exportación.xml")
    try ledger.folder.write(
      Data("<ClinicalDocument/>".utf8), to: "apple_health_export/export_cda.xml")
    #expect(try ledger.run("import", ".").code == 0)
    let before = try ledger.log().lines.count
    #expect(before > 1)
    #expect(try ledger.run("import", "apple-health", "apple_health_export").code == 0)
    #expect(try ledger.log().lines.count == before)
  }

  @Test("What a pipe has is recognized", arguments: ["-", "/dev/stdin"])
  func pipes(_ path: String) throws {
    func added(_ input: String) throws -> Double? {
      let result = try ledger.run("import", path, "--json", input: input)
      return try JSONValue(parsing: result.output).object?["added"]?.number
    }
    let other = try TestLedger()
    _ = try other.logged("75.5")
    #expect(try added(other.run("export", "jsonl").output) == 1)
    #expect(try added("Date,Weight\n2026-01-06,80\n") == 1)
    #expect(try added(#"[{"type":"weight","quantity":81,"date":"2026-01-07"}]"#) == 1)
    #expect(
      try added(ImportAppleHealthTests.export(ImportAppleHealthTests.morning)).map { $0 > 0 }
        == true)
    let zip = try ledger.run("import", path, input: "PK\u{3}\u{4}")
    #expect(zip.code == 2 && zip.error.contains("zip"), "\(zip.error)")
  }

  @Test("What another device imported and sent is known after a pull")
  func secondDevice() async throws {
    let rows = (10..<15).map { "2026-01-\($0) 07:30,8\($0 % 10).123,,\n2026-02-\($0),,9000,walk\n" }
    let file = "date,weight,steps,notes\n" + rows.joined()
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.must("import", "csv", "-", input: file)
      try await first.syncUntilQuiet()
      let second = try await TestLedger.another(at: backend)
      let result = try second.run("import", "csv", "-", "--json", input: file)
      #expect(
        result.code == 0 && result.output.hasPrefix(#"{"added":0,"known":10,"#), "\(result.error)")
      try await second.syncUntilQuiet()
      #expect(try await backend.rows().count == 10)
    }
  }

  @Test("A later export of a second device corrects the sum of the day that was not over")
  func grownDay() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.must(
        "import", "csv", "-", input: "Date,Steps\n2026-01-05,9000\n2026-01-06,4000\n")
      try await first.syncUntilQuiet()
      let second = try await TestLedger.another(at: backend)
      let later = "Date,Steps\n2026-01-05,9000\n2026-01-06,8000\n2026-01-07,7000\n"
      let result = try second.run("import", "csv", "-", input: later)
      #expect(result.code == 0, "\(result.error)")
      try await second.syncUntilQuiet()
      try await first.syncUntilQuiet()
      for ledger in [first, second] {
        let again = try ledger.run("import", "csv", "-", "--json", input: later)
        #expect(again.output.hasPrefix(#"{"added":0,"known":3,"#), "\(again.output)")
      }
      #expect(
        try await backend.rows().map(\.quantity).sorted() == [
          7000, 8000, 9000,
        ])
    }
  }

  @Test(
    "In a folder, a pipe is passed over, a link to nothing is named, and a hyphen is part of a name"
  )
  func oddFiles() throws {
    try FileManager.default.createDirectory(
      atPath: "\(ledger.folder.path)/data", withIntermediateDirectories: true)
    try ledger.folder.write(Data(Self.withings[0].1.utf8), to: "data/-w.csv")
    #expect(mkfifo("\(ledger.folder.path)/data/pipe.csv", 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: "\(ledger.folder.path)/data/weight.csv", withDestinationPath: "nothing")
    let result = try ledger.run("import", "data")
    #expect(result.code == 1 && result.error.contains("weight.csv"), "\(result.error)")
    #expect(try ledger.last()["quantity"] == 80.1)
  }
}
