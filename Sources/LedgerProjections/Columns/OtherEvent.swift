import LedgerJSON
import LedgerModel

/// A rare event, as far as the fold asks for it.
struct OtherEvent: Hashable, Sendable {
  enum What: Hashable, Sendable {
    /// A person's edit of some fields of one group; those this version does not know are left out.
    case fields(ProfileSubject, [FieldValue])
    case payload(Event.Payload)
  }

  struct FieldValue: Hashable, Sendable {
    var field: ProfileField
    /// `null` for cleared.
    var value: JSONValue
  }

  var seq: Int
  var what: What
}

extension OtherEvent {
  init(_ payload: Event.Payload, seq: Int) {
    self.seq = seq
    what =
      switch payload {
      case .profileUpdated(let data): .fields(.profile, Self.values(.profile, data.data))
      case .physicalUpdated(let data): .fields(.physical, Self.values(.physical, data.data))
      case .preferencesUpdated(let data):
        .fields(.preferences, Self.values(.preferences, data.data))
      // Why is of no interest to a fold.
      case .accountSignedOut: .payload(.accountSignedOut(AccountSignedOut()))
      default: .payload(payload)
      }
  }

  private static func values(_ subject: ProfileSubject, _ data: JSONObject) -> [FieldValue] {
    data.members.compactMap { member in
      guard let field = ProfileField(rawValue: member.name), field.subject == subject else {
        return nil
      }
      return FieldValue(field: field, value: member.value)
    }
  }
}
