public import LedgerJSON
import LedgerModel

/// The ten fields a person has, in the three groups that the backend takes them in.
public enum ProfileField: String, CaseIterable, Sendable {
  case name
  case bio
  case preferredUnitSystem = "preferred_unit_system"
  case languageCode = "language_code"
  case biologicalSex = "biological_sex"
  case heightCM = "height_cm"
  case dateOfBirth = "date_of_birth"
  case allergies
  case dietaryRestrictions = "dietary_restrictions"
  case foodDislikes = "food_dislikes"

  public var subject: ProfileSubject {
    switch self {
    case .name, .bio, .preferredUnitSystem, .languageCode: .profile
    case .biologicalSex, .heightCM, .dateOfBirth: .physical
    case .allergies, .dietaryRestrictions, .foodDislikes: .preferences
    }
  }
}

public enum ProfileSubject: String, CaseIterable, Sendable {
  case profile, physical, preferences

  public var fields: [ProfileField] { ProfileField.allCases.filter { $0.subject == self } }
}

/// Every value that each field has had, and what both sides last agreed on.
public struct ProfileTable: Sendable {
  struct Version: Sendable {
    var seq: Int
    /// `null` for cleared.
    var value: JSONValue
  }

  struct History: Sendable {
    var versions: [Version] = []
    /// What the backend last said it has; `nil` until it has said anything.
    var agreed: JSONValue?
    /// The event by which it said so.
    var agreedAt: Int?
    /// The open conflict's seq.
    var openConflict: Int?
  }

  private var histories: [ProfileField: History] = [:]
  private var edits: [ProfileSubject: [Int]] = [:]
  private var conflicts: [Int: (field: ProfileField, remote: JSONValue)] = [:]

  func history(_ field: ProfileField) -> History { histories[field] ?? History() }

  /// The seqs of all edits of a group, oldest first.
  public func edits(of subject: ProfileSubject) -> [Int] { edits[subject] ?? [] }

  /// What the backend last said it has.
  public func agreed(_ field: ProfileField) -> JSONValue? { history(field).agreed }

  /// The value in force and the event that set it; a cleared field has the value `null`.
  public func current(_ field: ProfileField, _ edits: EditTable) -> (value: JSONValue, seq: Int)? {
    history(field).versions.last { edits.state($0.seq) != .undone }.map { ($0.value, $0.seq) }
  }

  public func hasOpenConflict(_ field: ProfileField) -> Bool { openConflict(field) != nil }

  /// The event that found the conflict which is open.
  public func openConflict(_ field: ProfileField) -> Int? { history(field).openConflict }

  // MARK: Folding

  /// Takes in the edits of a batch, before any answer to them.
  mutating func begin(_ events: [RecordedEvent], _ table: inout EditTable) {
    for recorded in events {
      let seq = recorded.seq.number
      switch recorded.event.payload {
      case .profileUpdated(let data): begin(.profile, data.data, seq, &table)
      case .physicalUpdated(let data): begin(.physical, data.data, seq, &table)
      case .preferencesUpdated(let data): begin(.preferences, data.data, seq, &table)
      default: break
      }
    }
  }

  private mutating func begin(
    _ subject: ProfileSubject, _ data: JSONObject, _ seq: Int, _ table: inout EditTable
  ) {
    table.begin(seq, as: .pending, row: nil)
    edits[subject, default: []].append(seq)
    for member in data.members {
      guard let field = ProfileField(rawValue: member.name), field.subject == subject else {
        continue
      }
      histories[field, default: History()].insert(Version(seq: seq, value: member.value))
    }
  }

  /// What the backend has, field by field: it wins where no edit of ours is open.
  mutating func pull(_ fields: JSONObject, at seq: Seq, _ table: inout EditTable) {
    table.begin(seq.number, as: .acknowledged, row: nil)
    for member in fields.members {
      guard let field = ProfileField(rawValue: member.name) else { continue }
      var history = histories[field] ?? History()
      history.agreed = member.value
      history.agreedAt = seq.number
      let isOpen = history.versions.contains {
        $0.seq < seq.number && (table.state($0.seq).isOpen || table.state($0.seq) == .rejected)
      }
      if !isOpen { history.insert(Version(seq: seq.number, value: member.value)) }
      histories[field] = history
    }
  }

  /// Both sides have these values now.
  mutating func agree(_ remote: JSONObject, at seq: Seq) {
    for member in remote.members {
      guard let field = ProfileField(rawValue: member.name) else { continue }
      histories[field, default: History()].agreed = member.value
      histories[field]?.agreedAt = seq.number
    }
  }

  mutating func detect(_ data: ConflictDetected, at seq: Seq, _ table: inout EditTable) {
    guard let field = ProfileField(rawValue: data.field) else { return }
    conflicts[seq.number] = (field, data.remote ?? .null)
    switch data.decision {
    case .open: histories[field, default: History()].openConflict = seq.number
    case .local: histories[field, default: History()].agreed = data.remote
    case .remote: take(data.remote ?? .null, for: field, at: seq, &table)
    }
  }

  mutating func resolve(_ data: ConflictResolved, at seq: Seq, _ table: inout EditTable) {
    guard let (field, remote) = conflicts[data.conflict.number] else { return }
    histories[field]?.openConflict = nil
    switch data.decision {
    case .remote: take(data.value ?? .null, for: field, at: seq, &table)
    // What the backend had then is answered: only another value of it is a conflict again.
    case .local: histories[field]?.agreed = remote
    case .open: break
    }
  }

  private mutating func take(
    _ value: JSONValue, for field: ProfileField, at seq: Seq, _ table: inout EditTable
  ) {
    table.begin(seq.number, as: .acknowledged, row: nil)
    histories[field, default: History()].agreed = value
    histories[field]?.agreedAt = seq.number
    histories[field]?.insert(Version(seq: seq.number, value: value))
  }
}

extension ProfileTable.History {
  /// Keeps versions in the order of seq: edits of a batch come in before its pulls.
  mutating func insert(_ version: ProfileTable.Version) {
    let index = versions.lastIndex { $0.seq < version.seq }.map { $0 + 1 } ?? 0
    versions.insert(version, at: index)
  }
}
