import LedgerCLI
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// What a run decided by itself: conflicts, and what it took out of the lists of the preferences. A list
/// is one value: of two devices' changes only one stays, and an allergy must not vanish without a word.
struct RunDecisions {
  private let directory: LedgerDirectory
  private let before: JSONObject
  /// The last event before the run.
  private let last: Int

  /// - Parameter directory: of the ledger as it is before the run.
  init(since directory: LedgerDirectory) throws {
    self.directory = directory
    let view = try LogView.open(directory)
    (before, last) = try FoldedLog(view).ask { ($0.profileView().preferences, $0.position.seq) }
  }

  /// How many conflicts were found and decided.
  func conflicts() throws -> Int {
    try FoldedLog(LogView.open(directory)).ask { decided(in: $0).count }
  }

  private func decided(in state: LedgerState) -> [ConflictView] {
    state.conflicts().filter { $0.seq.number > last && $0.decision != .open }
  }

  /// A sentence for each list that misses items.
  func lostItems() throws -> [String] {
    try FoldedLog(LogView.open(directory)).ask { state in
      let now = state.profileView().preferences
      let decided = decided(in: state)
      return ProfileSubject.preferences.fields.compactMap { field in
        let sides = decided.filter { $0.field == field }.flatMap { [$0.local, $0.remote] }
        let left = items(now[field.rawValue])
        var lost: [String] = []
        for item in items(before[field.rawValue]) + sides.flatMap({ items($0) })
        where !left.contains(item) && !lost.contains(item) { lost.append(item) }
        return lost.isEmpty
          ? nil
          : sentence(field, lost, left, who: sides.isEmpty ? "another device" : "both devices")
      }
    }
  }

  private func items(_ list: JSONValue?) -> [String] { list?.array?.compactMap(\.string) ?? [] }

  private func sentence(
    _ field: ProfileField, _ lost: [String], _ left: [String], who: String
  ) -> String {
    let option =
      switch field {
      case .dietaryRestrictions: "--restriction"
      case .foodDislikes: "--dislike"
      default: "--allergy"
      }
    let name = field.rawValue.replacing("_", with: " ")
    return "the \(name) are now \(left.isEmpty ? "none" : left.joined(separator: ", ")), without "
      + "\(lost.joined(separator: ", ")), since \(who) changed them; to add: ledger append "
      + "preferences " + lost.map { "\(option) \(quoted($0))" }.joined(separator: " ")
  }
}
