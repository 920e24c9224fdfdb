import LedgerJSON

/// A value that a field has had.
struct FieldVersion: Sendable {
  var seq: Int
  /// `null` for cleared.
  var value: JSONValue
  /// Whether a person gave it, and neither the backend nor a decision.
  var isTyped = false
}

/// All values that a field has had, in the order of seq: those of a snapshot, read when they are
/// asked for, and those since.
struct VersionList: RandomAccessCollection, Sendable {
  private var stored: StoredVersions?
  private var own: [FieldVersion] = []

  init() {}

  init(_ stored: StoredVersions) {
    self.stored = stored
  }

  private var storedCount: Int { stored?.count ?? 0 }
  var startIndex: Int { 0 }
  var endIndex: Int { storedCount + own.count }

  subscript(index: Int) -> FieldVersion {
    guard let stored, index < stored.count else { return own[index - storedCount] }
    return stored.version(index)
  }

  /// Keeps the order: edits of a batch come in before its pulls.
  mutating func insert(_ version: FieldVersion) {
    // Only seqs are looked at: a copy of a version counts references.
    var index = own.count
    while index > 0, own[index - 1].seq >= version.seq { index -= 1 }
    own.insert(version, at: index)
  }

  /// The list as a plain array.
  func whole() throws(SnapshotFault) -> VersionList {
    guard let stored else { return self }
    var list = VersionList()
    list.own = try stored.all() + own
    return list
  }
}
