import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// What `blame` is asked about.
enum BlamedSubject: Equatable {
  case fields([ProfileField])
  case entry(String)

  /// - Parameter text: `profile.name`, `name`, `profile` or `profile.*`, an entry; `nil` for all
  ///   fields.
  /// - Throws: a failure with exit code 2 for a field that there is not.
  init(_ text: String?) throws(CommandFailure) {
    guard let text else {
      self = .fields(ProfileField.allCases)
      return
    }
    let name = text.lowercased()
    let group = name.hasSuffix(".*") ? String(name.dropLast(2)) : name
    if let subject = ProfileSubject(rawValue: group) {
      self = .fields(subject.fields)
    } else if let field = ProfileField.allCases.first(where: { field in
      field.qualifiedName == name || field.rawValue == name
    }) {
      self = .fields([field])
    } else if Self.mayBeEntry(name) {
      self = .entry(text)
    } else {
      throw Self.noField(text)
    }
  }

  /// Every field and group of fields.
  static var names: [String] {
    ProfileSubject.allCases.map(\.rawValue) + ProfileField.allCases.map(\.qualifiedName)
  }

  /// A number, an id or the start of one.
  private static func mayBeEntry(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      isDigit(byte) || byte == UInt8(ascii: "-")
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
  }

  private static func noField(_ text: String) -> CommandFailure {
    let names = ProfileField.allCases.map(\.qualifiedName)
    let groups = ProfileSubject.allCases.map(\.rawValue)
    let near =
      text.contains(".")
      ? nearest(to: text, among: names)
      : nearest(to: text, among: groups + ProfileField.allCases.map(\.rawValue)).map { name in
        ProfileField(rawValue: name)?.qualifiedName ?? name
      }
    if let metric = Metric(name: text) {
      return CommandFailure(
        .usage,
        "\(quoted(text)) is a metric, and an entry of it is named by the event that logged it",
        hint: "'ledger show progress --type \(metric.name)' lists them")
    }
    let group = groups.first { text.lowercased().hasPrefix($0 + ".") }
    let choices = group.map { group in names.filter { $0.hasPrefix(group + ".") } } ?? groups
    return CommandFailure(
      .usage,
      "\(quoted(text)) is no field of the person and no entry; "
        + (near.isEmpty ? "there are \(listed(choices))" : "did you mean \(listed(near))?"))
  }
}

/// A value, and the event that gave it.
struct BlamedValue {
  enum What: Equatable {
    case field(ProfileField)
    /// By the name that answers for programs give it.
    case part(String, Metric)
  }

  var what: What
  /// `nil` for what was never set; `null` for what was cleared.
  var value: JSONValue?
  var seq: Seq?
  var status: String?
}

extension BlamedSubject {
  func values(_ state: LedgerState, in view: LogView) throws -> [BlamedValue] {
    switch self {
    case .fields(let fields):
      return fields.map { field in
        let origin = state.origin(of: field)
        return BlamedValue(
          what: .field(field), value: origin?.value, seq: origin?.seq,
          status: state.fieldStatus(field)?.rawValue)
      }
    case .entry(let text):
      let entry = try EntryArgument.find(text, in: state)
      guard let row = state.row(of: entry.id) else { return [] }
      return try Self.values(of: ShownEntry(entry, in: view), state.origins(ofRow: row), state)
    }
  }

  private static func values(
    of shown: ShownEntry, _ origins: [EntryPart: Seq], _ state: LedgerState
  ) -> [BlamedValue] {
    let entry = shown.entry
    func value(_ name: String, _ value: JSONValue?, _ seq: Seq?) -> BlamedValue {
      BlamedValue(
        what: .part(name, entry.metric), value: value, seq: seq,
        status: seq.flatMap { EntryStatus(state.edits.state($0.number)) }?.rawValue)
    }
    let notes = shown.notes.map { JSONValue.string($0) }
    let hasCleared = notes == nil && origins[.notes] != nil
    var values = [
      value("type", .string(entry.metric.name), entry.seq),
      value("quantity", .number(entry.quantity), origins[.quantity] ?? entry.seq),
      value("date", .string(entry.date.description), origins[.date] ?? entry.seq),
      value(
        "time", entry.moment.map { .string("\($0.time)\($0.zone)") },
        entry.moment == nil ? nil : origins[.time] ?? entry.seq),
      value(
        "notes", hasCleared ? .null : notes,
        notes == nil ? origins[.notes] : origins[.notes] ?? entry.seq),
    ]
    values.append(
      BlamedValue(
        what: .part("backend_id", entry.metric), value: shown.backendID.map { .string($0.text) },
        seq: entry.boundBy))
    if let deletion = origins[.deletion] { values.append(value("deleted", .bool(true), deletion)) }
    return values
  }
}

extension EntryStatus {
  /// Where one edit alone stands.
  init?(_ state: EditState) {
    switch state {
    case .none, .undone: return nil
    case .pending, .held: self = .pending
    case .inDoubt: self = .syncing
    case .acknowledged: self = .synced
    case .rejected, .differed: self = .failed
    }
  }
}
