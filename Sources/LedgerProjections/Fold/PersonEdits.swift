import LedgerJSON
import LedgerModel

/// The edits of a person's fields in a stretch of the log: which events there are of each group, and
/// what they said of each field.
struct PersonEdits: Sendable {
  /// The values that a field was given, by the field's place among all.
  private var values = [ValueColumn](
    repeating: ValueColumn(), count: ProfileField.allCases.count)
  /// The seqs of a group's edits, by the group's place among all.
  private(set) var seqs = [[UInt32]](repeating: [], count: ProfileSubject.allCases.count)

  /// Notes an edit of a group, its values apart.
  mutating func add(_ subject: ProfileSubject, seq: Int) {
    seqs[subject.place].append(UInt32(seq))
  }

  /// Puts down what an edit says of a field.
  ///
  /// - Parameter text: JSON that was checked by the rules of the log.
  mutating func add(_ text: RawSpan, of field: ProfileField, seq: Int) {
    values[field.place].append(text, seq: seq, isTyped: true)
  }

  /// A whole edit, however its members stood; those that this version does not know are left out.
  mutating func add(_ data: JSONObject, of subject: ProfileSubject, seq: Int) {
    add(subject, seq: seq)
    for member in data.members {
      guard let field = ProfileField(rawValue: member.name), field.subject == subject else {
        continue
      }
      values[field.place].insert(member.value, seq: seq, isTyped: true)
    }
  }

  /// The values that a field was given, each with its event.
  func versions(of field: ProfileField) -> VersionList {
    var list = VersionList()
    var values = values[field.place]
    list.take(&values)
    return list
  }

  /// Hands the seqs of one group's edits over.
  mutating func takeSeqs(of subject: ProfileSubject) -> [UInt32] {
    var taken: [UInt32] = []
    swap(&taken, &seqs[subject.place])
    return taken
  }

  /// Hands the values of one field over.
  mutating func takeValues(of field: ProfileField) -> ValueColumn {
    var taken = ValueColumn()
    swap(&taken, &values[field.place])
    return taken
  }

  /// Moves the next stretch's edits behind these.
  mutating func take(_ later: inout PersonEdits) {
    for place in values.indices { values[place].take(&later.values[place]) }
    for place in seqs.indices {
      seqs[place].append(contentsOf: later.seqs[place])
      later.seqs[place].removeAll(keepingCapacity: true)
    }
  }

  /// Takes back what events behind a seq said.
  mutating func removeAll(after seq: Int) {
    for place in values.indices { values[place].removeAll(after: seq) }
    for place in seqs.indices {
      while let last = seqs[place].last, last > seq { seqs[place].removeLast() }
    }
  }

  /// Keeps the room.
  mutating func removeAll() {
    for place in values.indices { values[place].removeAll() }
    for place in seqs.indices { seqs[place].removeAll(keepingCapacity: true) }
  }
}
