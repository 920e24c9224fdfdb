import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// The members of progress and sleep events, described once: both readers must accept exactly the
/// combinations that this table allows.
struct EventForm: CustomTestStringConvertible, Sendable {
  struct Member: Sendable {
    var name: String
    var value: String
    var isRequired = false
    /// Whether `null` clears the value.
    var mayBeNull = false
    /// Whether the fast reader reads it; other members are left to the reference reader.
    var isFast = true
  }

  var kind: EventKind
  /// In the order of docs/log-format.md.
  var members: [Member]
  var isFastInOrder = true
  var isFastInAnyOrder = true

  var testDescription: String { kind.rawValue }

  static let all = [logged, corrected, deleted, sleepLogged, sleepCorrected, sleepDeleted]

  private static let entry = Member(
    name: "entry", value: #""01856aa2-a09d-7bdd-8fac-4ee446685257""#, isRequired: true)
  private static let time = Member(name: "time", value: #""21:55:56""#)
  private static let zone = Member(name: "zone", value: #""-03:30""#)
  private static let notes = Member(name: "notes", value: #""felt \"good\" – 💪""#)
  private static let newNotes = Member(name: "notes", value: #""better""#, mayBeNull: true)
  private static let source = Member(name: "source", value: #""fitbit""#)
  private static let sourceID = Member(name: "source_id", value: #""fitbit:88""#)
  private static let reason = Member(name: "reason", value: #""twice""#)
  private static let stages =
    #"[{"stage":"deep","start":"2026-01-02T23:00:00+01:00","end":"2026-01-03T00:30:00+01:00"}]"#

  private static let logged = EventForm(
    kind: .progressLogged,
    members: [
      entry, Member(name: "metric", value: #""body_fat_percentage""#, isRequired: true),
      Member(name: "quantity", value: "21.5", isRequired: true),
      Member(name: "date", value: #""2024-02-29""#, isRequired: true), time, zone, notes, source,
      sourceID, Member(name: "claimed_backend_id", value: #""7""#),
    ])

  private static let corrected = EventForm(
    kind: .progressCorrected,
    members: [
      entry, Member(name: "quantity", value: "80"), Member(name: "date", value: #""2024-02-29""#),
      time, zone, newNotes, Member(name: "backend_id", value: #""7""#, isFast: false),
    ])

  private static let deleted = EventForm(kind: .progressDeleted, members: [entry, reason])

  private static let sleepLogged = EventForm(
    kind: .sleepLogged,
    members: [
      entry, Member(name: "start", value: #""2026-01-02T22:30:00+01:00""#, isRequired: true),
      Member(name: "end", value: #""2026-01-03T06:30:00+01:00""#, isRequired: true),
      Member(name: "stages", value: stages), notes, source, sourceID,
    ], isFastInAnyOrder: false)

  private static let sleepCorrected = EventForm(
    kind: .sleepCorrected,
    members: [
      entry, Member(name: "start", value: #""2026-01-02T22:30:00+01:00""#),
      Member(name: "end", value: #""2026-01-03T06:30:00+01:00""#),
      Member(name: "stages", value: stages), newNotes,
    ], isFastInOrder: false, isFastInAnyOrder: false)

  private static let sleepDeleted = EventForm(
    kind: .sleepDeleted, members: [entry, reason], isFastInOrder: false, isFastInAnyOrder: false)
}

/// Some of the members of an event, each with a value or `null`.
struct MemberSubset {
  enum Presence: Int, CaseIterable { case absent, present, null }

  let form: EventForm
  let presences: [Presence]

  /// - Parameter number: its digits to base 3 are the presences.
  init(_ form: EventForm, number: Int) {
    self.form = form
    var rest = number
    presences = form.members.map { _ in
      defer { rest /= 3 }
      return Presence(rawValue: rest % 3)!
    }
  }

  static func count(of form: EventForm) -> Int { form.members.reduce(1) { all, _ in all * 3 } }

  var isOfDefaultSize: Bool {
    let nulls = presences.count { $0 == .null }
    return nulls == 0 || (nulls == 1 && presences.count { $0 == .absent } <= 1)
  }

  private var present: [(member: EventForm.Member, presence: Presence)] {
    Array(zip(form.members, presences)).filter { $0.1 != .absent }
  }

  private func has(_ name: String) -> Bool { present.contains { $0.member.name == name } }

  var isValid: Bool {
    has("time") == has("zone")
      && zip(form.members, presences).allSatisfy { member, presence in
        switch presence {
        case .absent: !member.isRequired
        case .present: true
        case .null: member.mayBeNull
        }
      }
  }

  func isFast(inOrder: Bool) -> Bool {
    isValid && present.allSatisfy(\.member.isFast)
      && (inOrder ? form.isFastInOrder : form.isFastInAnyOrder)
  }

  var members: [String] {
    present.map { member, presence in
      #""\#(member.name)":"# + (presence == .null ? "null" : member.value)
    }
  }

  func text(_ members: [String]) -> String { "{" + members.joined(separator: ",") + "}" }
}

@Suite struct MemberSubsetTests {
  /// In the default size a `null` is alone, with at most one member absent; in the full size every
  /// combination of values, absent members and nulls is read.
  @Test(
    "Both readers accept exactly the members that an event may have, in any order",
    arguments: EventForm.all)
  func subsets(form: EventForm) throws {
    var random = SplitMix(77)
    var scanners = (fields: FieldScanner(), sleep: SleepScanner())
    var (valid, fast) = (0, 0)
    for number in 0..<MemberSubset.count(of: form) {
      let subset = MemberSubset(form, number: number)
      guard subset.isOfDefaultSize || TestSize.of(false, full: true) else { continue }
      let members = subset.members
      let shuffled = members.shuffled(using: &random)
      for (members, inOrder) in [(members, true), (shuffled, shuffled == members)] {
        let data = subset.text(members)
        let expected = Self.referenceColumns(data, form.kind)
        #expect((expected != nil) == subset.isValid, "\(data)")
        let found = Self.fastColumns(data, form.kind, &scanners)
        #expect((found != nil) == subset.isFast(inOrder: inOrder), "\(data)")
        if let found { #expect(found == expected, "\(data)") }
        (valid, fast) = (valid + (expected == nil ? 0 : 1), fast + (found == nil ? 0 : 1))
      }
    }
    #expect(valid > 1 && (fast > 1) == form.isFastInOrder)
  }

  /// The bytes that the reference reader adds to the columns; `nil` if it refuses the data.
  private static func referenceColumns(_ data: String, _ kind: EventKind) -> [UInt8]? {
    guard let object = (try? JSONValue(parsing: data, rules: .log))?.object,
      let payload = try? Event.Payload(type: kind.rawValue, version: 1, data: object)
    else { return nil }
    var batch = ColumnBatch(after: 6)
    batch.add(payload, seq: 7, by: .user)
    return batch.rows.flatMap(bytes) + batch.changes.flatMap(bytes) + batch.sleep.flatMap(bytes)
  }

  /// The same of the fast reader; `nil` if it leaves the data to the reference reader.
  private static func fastColumns(
    _ data: String, _ kind: EventKind, _ scanners: inout (fields: FieldScanner, sleep: SleepScanner)
  ) -> [UInt8]? {
    let line = Array(data.utf8) + Array(",\"hash\":\"\n".utf8)
    let padded = line + [UInt8](repeating: 0, count: FastFront.reachBytes)
    return padded.withUnsafeBufferPointer { buffer in
      let bytes = UnsafeRawBufferPointer(buffer).bytes
      var position = 0
      let found: [UInt8]?
      switch kind {
      case .progressLogged:
        found = logged(bytes, &scanners.fields, &position).map(Self.bytes)
      case .progressCorrected:
        found = scanners.fields.corrected(bytes, at: &position, seq: 7).map(Self.bytes)
      case .progressDeleted:
        found = scanners.fields.deleted(bytes, at: &position, seq: 7, bySync: false).map(Self.bytes)
      case .sleepLogged:
        found = scanners.sleep.logged(bytes, at: &position, seq: 7).map(Self.bytes)
      default: found = nil
      }
      return position == data.utf8.count ? found : nil
    }
  }

  private static func logged(
    _ bytes: RawSpan, _ fields: inout FieldScanner, _ position: inout Int
  ) -> EntryRow? {
    var faults = FastHex.Words()
    var rows: [EntryRow] = []
    rows.append(addingCapacity: 1) { rows in
      guard let end = fields.logged(bytes, at: 0, seq: 7, &faults, into: &rows) else { return }
      position = end
    }
    return FastHex.hasFault(faults) ? nil : rows.first
  }

  private static func bytes(_ element: some ColumnElement) -> [UInt8] {
    withUnsafeBytes(of: element) { Array($0) }
  }
}
