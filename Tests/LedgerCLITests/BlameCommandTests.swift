import Foundation
import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerCLI

/// `blame`: which event set each value, and where it came from.
@Suite struct BlameCommandTests {
  let ledger: LookingLedger

  init() throws { ledger = try LookingLedger() }

  private func fields() throws {
    let edit = try ledger.add(
      .profileUpdated(ProfileUpdated(name: "Ada\u{202E}", bio: .set("runner"))))
    try ledger.acknowledge([edit])
    try ledger.add(.profilePulled(ProfilePulled(fields: ["bio": "swimmer"])), by: .sync)
    try ledger.add(.physicalUpdated(PhysicalUpdated(heightCM: 168)), by: .import)
    try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: "physical", field: "biological_sex", remote: "female", decision: .remote)),
      by: .sync)
    try ledger.add(.profileUpdated(ProfileUpdated(bio: .clear)))
    try ledger.add(
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "bio", local: .null, remote: "diver", decision: .open)),
      by: .sync)
    try ledger.add(
      .conflictResolved(ConflictResolved(conflict: Seq(8), decision: .remote, value: "diver")))
  }

  @Test("Every field with its event, or never set")
  func allFields() throws {
    try fields()
    #expect(
      ledger.run("blame", columns: 140).output == #"""
        field                             value          seq  set               from
        profile.name                      “Ada\u{202E}”    2  2025-01-01 12:00  an edit on test                                synced
        profile.bio                       “diver”          9  2025-01-01 12:00  conflict 8: you took the backend's             synced
        profile.preferred_unit_system     never set
        profile.language_code             never set
        physical.biological_sex           female           6  2025-01-01 12:00  conflict 6: sync.conflicts took the backend's  synced
        physical.height_cm                168 cm           5  2025-01-01 12:00  an import on test                              pending
        physical.date_of_birth            never set
        preferences.allergies             never set
        preferences.dietary_restrictions  never set
        preferences.food_dislikes         never set

        """#)
    let narrow = ledger.run("blame", "profile.*", columns: 64).output.split(separator: "\n")
    #expect(
      narrow[..<4] == [
        "profile.name: “Ada\\u{202E}”", "  #2, 2025-01-01 12:00, an edit on test, synced",
        "profile.bio: “diver”", "  #9, 2025-01-01 12:00, conflict 8: you took the backend's,",
      ])
  }

  @Test("JSON of one field holds that field alone")
  func oneFieldForPrograms() throws {
    try fields()
    #expect(
      ledger.run("blame", "profile.bio", "--json").output
        == #"[{"field":"profile.bio","value":"diver","seq":9,"at":"2025-01-01T12:00:08.000Z","#
        + #""by":"user","type":"conflict.resolved","source":"decision","conflict":8,"#
        + #""device":"test","status":"synced"}]"# + "\n")
    #expect(
      ledger.run("blame", "bio", "--json", "--at", "4").output
        == #"[{"field":"profile.bio","value":"swimmer","seq":4,"at":"2025-01-01T12:00:03.000Z","#
        + #""by":"sync","type":"profile.pulled","source":"pulled","status":"synced"}]"# + "\n")
    #expect(
      ledger.run("blame", "profile.bio", "--json", "--at", "1").output
        == #"[{"field":"profile.bio","value":null,"seq":null}]"# + "\n")
    #expect(
      ledger.run("blame", "profile.bio", "--json", "--at", "7").output
        .hasPrefix(#"[{"field":"profile.bio","value":null,"seq":7,"#))
    #expect(ledger.run("blame", "profile.bio", "--at", "7").output.contains("cleared"))
    #expect(ledger.run("blame", "PHYSICAL", "--json").output.contains(#""source":"import""#))
  }

  @Test("An entry: what was logged, what was corrected, what the backend calls it")
  func entry() throws {
    let logged = try ledger.log(1, .weight, 76, on: "2025-01-30", notes: "shoes on")
    try ledger.acknowledge([logged], id: "row-1")
    try ledger.add(
      .progressCorrected(
        ProgressCorrected(entry: LookingLedger.entry(1), quantity: 75.5, notes: .clear)))
    #expect(
      ledger.run("blame", "2", columns: 100).output == """
        field       value       seq  set               from
        type        weight        2  2025-01-01 12:00  an edit on test       synced
        quantity    75.5 kg       4  2025-01-01 12:00  an edit on test       pending
        date        2025-01-30    2  2025-01-01 12:00  an edit on test       synced
        time        never set
        notes       cleared       4  2025-01-01 12:00  an edit on test       pending
        backend_id  row-1         3  2025-01-01 12:00  the backend's answer

        """)
    try ledger.add(.progressDeleted(ProgressDeleted(entry: LookingLedger.entry(1))), by: .sync)
    let json = ledger.run("blame", "00000000-0001", "--json")
    #expect(
      json.output.hasSuffix(
        #",{"field":"deleted","value":true,"seq":5,"at":"2025-01-01T12:00:04.000Z","by":"sync","#
          + #""type":"progress.deleted","source":"answer","status":"synced"}]"# + "\n"))
    #expect(try (json.parsed() as? [NSObject])?.count == 7)
  }

  @Test(
    "What there is not gets the nearest there is, or all there are",
    arguments: [
      ("profile.nmae", "did you mean 'profile.name'?"),
      ("hieght_cm", "did you mean 'physical.height_cm'?"),
      (
        "profile.telephone",
        "there are 'profile.name', 'profile.bio', 'profile.preferred_unit_system' "
          + "or 'profile.language_code'"
      ),
      ("profil", "did you mean 'profile'?"),
      ("x", "there are 'profile', 'physical' or 'preferences'"),
    ])
  func unknownFields(_ word: String, _ advice: String) {
    let answer = ledger.run("blame", word)
    #expect(answer.code == .usage && answer.output.isEmpty)
    #expect(
      answer.error == "ledger: '\(word)' is neither a field of the person nor an entry; \(advice)\n"
    )
  }

  @Test(
    "A field has the name of its option and that of 'show profile', too",
    arguments: [
      ("height", "physical.height_cm"), ("height-cm", "physical.height_cm"),
      ("born", "physical.date_of_birth"), ("units", "profile.preferred_unit_system"),
    ])
  func otherNames(_ word: String, _ field: String) {
    #expect(ledger.run("blame", word).output.contains("\(field) "))
  }

  @Test("An unknown entry exits with 4")
  func unknownEntries() {
    for word in ["7", "abcdef", "0"] {
      #expect(ledger.run("blame", word).code == .notFound, "\(word)")
    }
  }
}
