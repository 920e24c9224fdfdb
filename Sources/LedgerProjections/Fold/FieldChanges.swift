import LedgerModel

/// Where the person's fields stand between both sides.
extension LedgerState {
  /// Whether the backend has yet to accept something this side said of a field; what it refused
  /// counts too.
  public func hasOpenEdit(of field: ProfileField) -> Bool {
    profile.history(field).versions.contains { version in
      edits.state(version.seq).isOpen || edits.state(version.seq).isFailed
    }
  }

  /// Whether an edit has nothing left to say: for each field it set, both sides have agreed on the
  /// value in force since it was made.
  public func isOvertaken(_ seq: Int, in subject: ProfileSubject) -> Bool {
    let fields = subject.fields.filter { field in
      profile.history(field).versions.contains { $0.seq == seq }
    }
    return !fields.isEmpty
      && fields.allSatisfy { field in
        let history = profile.history(field)
        guard let agreedAt = history.agreedAt, agreedAt > seq else { return false }
        return profile.current(field, edits)?.value == history.agreed
      }
  }
}
