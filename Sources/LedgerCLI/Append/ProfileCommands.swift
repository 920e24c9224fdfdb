import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

/// Appends one event for a group of fields and confirms it field by field.
private enum FieldEdit {
  static func append(
    _ changes: [Edit.Change], _ arguments: ParsedArguments, _ console: Console,
    unusual: (OpenedLedger) throws -> [UnusualInput?] = { _ in [] }
  ) throws -> ExitCode {
    // The usage error names the options, which the ledger's rules cannot.
    guard arguments.givenOptions.contains(where: { $0 != "yes" }) else {
      throw UsageError.missingArgument(
        listed(arguments.spec.options.map(\.spelled).filter { $0 != "--yes" }))
    }
    let opened = try OpenedLedger.open(arguments, console)
    try console.confirm(unusual(opened), in: arguments)
    let before = opened.askIfCheap(for: console) { $0.profileView() }
    let outcome = try opened.append(changes.map { Edit(change: $0) })
    let quantities = QuantityText(units: opened.units(for: console))
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      let fields = event.event.payload.data.members.map { member in
        let old = before?.profile[member.name] ?? before?.physical[member.name]
        return changed(member.name, from: old, to: member.value, quantities)
      }
      let group = arguments.spec.words.last ?? ""
      return "\(group): \(fields.joined(separator: ", ")) (event \(event.seq))"
    }
    return .done
  }

  /// `name “Ann” → “Bob”`; without the old value where there was none or the same.
  static func changed(
    _ name: String, from old: JSONValue?, to new: JSONValue, _ quantities: QuantityText
  ) -> String {
    let field = FieldText(name, quantities)
    guard let old else { return "\(field.name) \(field.value(new))" }
    return old == new
      ? "\(field.name) \(field.value(new)), as before"
      : "\(field.name) \(field.value(old)) → \(field.value(new))"
  }
}

enum AppendProfileCommand: Command {
  static let spec = CommandSpec(
    "append profile", "set name, bio, unit system or language", group: .write,
    options: [
      .value("name", "NAME", "1 to 100 characters"),
      .value("bio", "TEXT", "at most 500 characters"),
      .value("unit-system", "SYSTEM", allowed: UnitSystem.allCases.map(\.rawValue), "shown units"),
      .value("language", "TAG", "a BCP 47 tag such as en or de-AT"),
      .value(
        "clear", "FIELD", allowed: ["bio", "language"], repeatable: true, "empty this field"),
    ],
    examples: [
      .init("ledger append profile --name 'Anna Moser' --unit-system metric"),
      .init("ledger append profile --clear bio"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    if let language = arguments.option("language") { try check(language: language) }
    let update = ProfileUpdated(
      name: arguments.option("name"),
      bio: try change("bio", arguments),
      preferredUnitSystem: arguments.option("unit-system").flatMap { UnitSystem(text: $0) },
      languageCode: try change("language", arguments))
    return try FieldEdit.append(split(update), arguments, console)
  }

  /// A language's name, as German, has the form of a tag that no language has.
  private static func check(language: String) throws(UsageError) {
    let first = language.prefix { $0 != "-" }
    guard first.count > 3, first.allSatisfy(\.isLetter) else { return }
    throw .badValue(
      option: "--language", value: language, why: .expected("a BCP 47 tag such as en or de-AT"))
  }

  /// The backend cannot clear a language, and the other fields of one edit would be held with it.
  private static func split(_ update: ProfileUpdated) -> [Edit.Change] {
    guard update.languageCode == .clear, update.data.members.count > 1 else {
      return [.updateProfile(update)]
    }
    var others = update
    others.languageCode = nil
    return [.updateProfile(others), .updateProfile(ProfileUpdated(languageCode: .clear))]
  }

  private static func change(
    _ field: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> FieldChange<String>? {
    let value = arguments.option(field)
    guard arguments.options("clear").contains(field) else { return value.map { .set($0) } }
    guard value == nil else { throw .conflict("--\(field)", "--clear \(field)") }
    return .clear
  }
}

enum AppendPhysicalCommand: Command {
  static let spec = CommandSpec(
    "append physical", "set height, sex or date of birth", group: .write,
    options: [
      .value("height-cm", "CM", aliases: ["height"], "in centimetres, or with a unit: 1.8m, 71in"),
      .value("sex", "SEX", allowed: BiologicalSex.allCases.map(\.rawValue), "biological sex"),
      .value("born", "DATE", "the date of birth, YYYY-MM-DD"),
      UnusualInput.yes,
    ],
    examples: [.init("ledger append physical --height-cm 172 --sex female --born 1990-05-17")],
    notes: [
      "These fields can be changed but not emptied. A height measured on some day is an "
        + "entry: ledger append height 172."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let update = PhysicalUpdated(
      biologicalSex: arguments.option("sex").flatMap { BiologicalSex(text: $0) },
      heightCM: try arguments.option("height-cm").map(height),
      dateOfBirth: try arguments.option("born").map(birth))
    return try FieldEdit.append([.updatePhysical(update)], arguments, console) { opened in
      if let height = update.heightCM { try check(height, in: opened) }
      let birth = update.dateOfBirth.flatMap { UnusualInput.birth($0, in: opened) }
      guard let height = update.heightCM else { return [birth] }
      let units = opened.units(for: console)
      let isBare = arguments.option("height-cm")?.allSatisfy { $0.isNumber || $0 == "." } ?? false
      return [
        UnusualInput.quantity(height, of: .height, units: units),
        arguments.option("height-cm").flatMap(UnusualInput.feet),
        units == .imperial && isBare ? UnusualInput.inches(height) : nil, birth,
      ]
    }
  }

  private static func height(_ text: String) throws -> Double {
    do throws(Refusal) {
      return try Quantity.parse(text, for: .height)
    } catch {
      throw UsageError.badValue(
        option: "--height-cm", value: text,
        why: .expected("a height such as 172, 1.72m, 68in or 5ft8in"))
    }
  }

  /// Refuses a height out of range in the user's units; the ledger's rules name centimetres.
  private static func check(_ height: Double, in opened: OpenedLedger) throws {
    guard !Metric.height.accepts(height), try opened.unitSystem() == .imperial else { return }
    let quantities = QuantityText(units: .imperial)
    let range = Metric.height.range
    throw Refusal(
      .outOfRange, field: "height_cm", value: JSONNumber.text(height), limit: .quantity(range),
      unit: Metric.height.unit,
      "height_cm is \(quantities.words(height, of: .height)); it must be "
        + "\(quantities.words(range, of: .height)) \(quantities.unit(of: .height))")
  }

  private static func birth(_ text: String) throws -> CalendarDate {
    guard case .date(let date)? = NamedDay(text) else {
      let near = NamedDay.dates(in: text)
      throw UsageError.badValue(
        option: "--born", value: text,
        why: NamedDay.impossible(text).map { .impossible($0) }
          ?? (near.isEmpty
            ? .expected("a day of the calendar such as 1990-05-17") : .meant(near)))
    }
    return date
  }
}

enum AppendPreferencesCommand: Command {
  static let spec = CommandSpec(
    "append preferences", "change allergies, dietary restrictions or dislikes", group: .write,
    options: [
      .value("allergy", "FOOD", repeatable: true, "add an allergy"),
      .value("no-allergy", "FOOD", repeatable: true, "remove an allergy"),
      .value("only-allergies", "LIST", repeatable: true, "replace all allergies: nuts,milk"),
      .value("restriction", "DIET", repeatable: true, "add a dietary restriction"),
      .value("no-restriction", "DIET", repeatable: true, "remove a dietary restriction"),
      .value("only-restrictions", "LIST", repeatable: true, "replace all dietary restrictions"),
      .value("dislike", "FOOD", repeatable: true, "add a food not liked"),
      .value("no-dislike", "FOOD", repeatable: true, "remove a food not liked"),
      .value("only-dislikes", "LIST", repeatable: true, "replace all foods not liked"),
      .value(
        "clear", "LIST", allowed: PreferenceList.all.map(\.name), repeatable: true,
        "empty this list"),
    ],
    examples: [
      .init("ledger append preferences --allergy nuts --allergy milk"),
      .init("ledger append preferences --no-allergy milk --clear dislikes"),
      .init("ledger append preferences --only-allergies nuts,eggs", "and no other"),
    ],
    notes: ["Upper and lower case are the same item."])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let changes = try PreferenceList.all.compactMap { try $0.change(arguments) }
    guard !changes.isEmpty else {
      throw UsageError.missingArgument(
        listed(arguments.spec.options.map(\.spelled).filter { $0 != "--yes" }))
    }
    let opened = try OpenedLedger.open(arguments, console)
    var fields: [String] = []
    let outcome = try opened.append(from: changes.map(\.field)) { current in
      var data = JSONObject()
      fields = []
      for change in changes {
        let before = current(change.field)?.array?.compactMap { $0.string }
        guard let after = try change.list(after: before) else { continue }
        data.members.append(.init(name: change.field.rawValue, value: after.json))
        let old: JSONValue? = before == nil && after.isEmpty ? .none : (before ?? []).json
        fields.append(
          FieldEdit.changed(
            change.field.rawValue, from: old, to: after.json, QuantityText(units: .metric)))
      }
      return data.members.isEmpty ? [] : [Edit(change: .updatePreferences(try .init(data: data)))]
    }
    if fields.isEmpty { console.note("nothing to change: the lists are like that already") }
    try AppendAnswer(outcome, of: opened, on: console).give { event in
      "preferences: \(fields.joined(separator: "; ")) (event \(event.seq))"
    }
    return .done
  }
}

/// A list of the preferences and its options.
private struct PreferenceList {
  let field: ProfileField
  /// The name of an item, as in `--allergy`.
  let item: String
  /// The name of the list, as in `--only-allergies`.
  let name: String

  static let all = [
    PreferenceList(field: .allergies, item: "allergy", name: "allergies"),
    PreferenceList(field: .dietaryRestrictions, item: "restriction", name: "restrictions"),
    PreferenceList(field: .foodDislikes, item: "dislike", name: "dislikes"),
  ]

  /// - Returns: `nil` if the command line does not change the list.
  func change(_ arguments: ParsedArguments) throws -> ListChange? {
    let added = arguments.options(item).flatMap(Self.items)
    let removed = arguments.options("no-\(item)")
    let isReplaced = arguments.has("only-\(name)")
    let isCleared = arguments.options("clear").contains(name)
    guard isReplaced || isCleared || !added.isEmpty || !removed.isEmpty else { return nil }
    let whole = isCleared ? "--clear \(name)" : "--only-\(name)"
    if isReplaced && isCleared { throw UsageError.conflict("--only-\(name)", whole) }
    if isReplaced || isCleared {
      if !added.isEmpty { throw UsageError.conflict("--\(item)", whole) }
      if !removed.isEmpty { throw UsageError.conflict("--no-\(item)", whole) }
    }
    let only = arguments.options("only-\(name)").flatMap(Self.items).filter { !$0.isEmpty }
    if isReplaced && only.isEmpty || (added + removed).contains(where: \.trimmingSpaces.isEmpty) {
      throw CommandFailure(.usage, "an item of the \(name) is empty; --clear \(name) empties them")
    }
    return ListChange(list: self, isWhole: isReplaced || isCleared, added: only + added, removed)
  }

  /// The items of `nuts, milk`.
  private static func items(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmingSpaces) }
  }
}

private struct ListChange {
  private let list: PreferenceList
  /// Whether the added items replace the list.
  private let isWhole: Bool
  private let added: [String]
  private let removed: [String]

  init(list: PreferenceList, isWhole: Bool, added: [String], _ removed: [String]) {
    (self.list, self.isWhole, self.added, self.removed) = (list, isWhole, added, removed)
  }

  var field: ProfileField { list.field }

  /// - Parameter before: `nil` for a list that was never set.
  /// - Returns: the changed list; `nil` if it stays as it is.
  func list(after before: [String]?) throws(CommandFailure) -> [String]? {
    var items = isWhole ? [] : before ?? []
    for item in removed {
      guard let index = items.firstIndex(where: { Self.areSame($0, item) }) else {
        let near = nearest(to: item, among: items)
        throw CommandFailure(
          .usage,
          "\(quoted(item)) is not among the \(list.name); "
            + (items.isEmpty
              ? "there are none"
              : near.isEmpty ? "those are \(listed(items))" : "did you mean \(listed(near))?"))
      }
      items.remove(at: index)
    }
    for item in added where !items.contains(where: { Self.areSame($0, item) }) {
      items.append(item)
    }
    return items == before ? nil : items
  }

  private static func areSame(_ first: String, _ second: String) -> Bool {
    first.lowercased() == second.lowercased()
  }
}

extension StringProtocol {
  fileprivate var trimmingSpaces: SubSequence {
    guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " })
    else { return self[endIndex...] }
    return self[first...last]
  }
}
