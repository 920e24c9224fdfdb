import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

/// `diff --json`.
struct DiffJSON {
  let compared: ComparedMoments
  let entries: [ShownDifference]
  let erasures: [ErasedBetween]
  let limit: Int

  var object: JSONObject {
    let difference = compared.difference
    let byType = difference.byType.map {
      JSONObject.Member(name: $0.type, value: JSONValue($0.count))
    }
    let counts = EntryDifference.Kind.allCases.compactMap { kind in
      difference.entryCounts[kind].map {
        JSONObject.Member(name: kind.rawValue, value: JSONValue($0))
      }
    }
    return [
      "from": .object(object(compared.first)), "to": .object(object(compared.last)),
      "events": .object(JSONObject(members: byType)),
      "fields": .array(difference.fields.map { .object(object($0)) }),
      "entry_counts": .object(JSONObject(members: counts)), "limit": JSONValue(limit),
      "entries": .array(entries.map { .object(object($0)) }),
      "edits": .array(
        difference.moves.map { move in
          [
            "before": move.before.map { .string($0.name) } ?? .null,
            "after": .string(move.after.name), "count": JSONValue(move.count),
          ]
        }),
      "conflicts": .array(difference.conflicts.map { .object(object($0)) }),
      "erased": .array(
        erasures.map { erasure in
          [
            "event": JSONValue(erasure.data.event.number), "by": JSONValue(erasure.seq),
            "reason": .string(erasure.data.reason),
          ]
        }),
      "account": [
        "before": difference.accountBefore.map { .string($0.account) } ?? .null,
        "after": difference.accountAfter.map { .string($0.account) } ?? .null,
      ],
    ]
  }

  private func object(_ moment: LedgerMoment) -> JSONObject {
    [
      "seq": JSONValue(moment.seq), "at": moment.at.map { .string($0.description) } ?? .null,
    ]
  }

  private func object(_ field: LedgerDifference.Field) -> JSONObject {
    [
      "field": .string(field.field.qualifiedName), "before": field.before ?? .null,
      "after": field.after ?? .null,
      "status": [
        "before": field.statusBefore.map { .string($0.rawValue) } ?? .null,
        "after": field.statusAfter.map { .string($0.rawValue) } ?? .null,
      ],
      "set_by": field.setBy.map { JSONValue($0.number) } ?? .null,
    ]
  }

  private func object(_ difference: ShownDifference) -> JSONObject {
    let known = difference.after ?? difference.before
    var object = JSONObject()
    object["entry"] = known.map { .string($0.entry.id.description) }
    object["seq"] = known.map { JSONValue($0.entry.seq.number) }
    object["type"] = known.map { .string($0.entry.metric.name) }
    object["change"] = .string(difference.kind.rawValue)
    object["edits"] = .array(difference.edits.map { JSONValue($0.number) })
    object["before"] = difference.before.map { .object(values(of: $0)) } ?? .null
    object["after"] = difference.after.map { .object(values(of: $0)) } ?? .null
    return object
  }

  private func values(of shown: ShownEntry) -> JSONObject {
    var values = shown.json
    values["entry"] = nil
    values["type"] = nil
    values["seq"] = nil
    values["deleted"] = .bool(shown.entry.isDeleted)
    return values
  }

  private func object(_ conflict: LedgerDifference.Conflict) -> JSONObject {
    [
      "conflict": JSONValue(conflict.after.seq.number),
      "field": .string("\(conflict.after.subject).\(conflict.after.fieldName)"),
      "local": conflict.after.local, "remote": conflict.after.remote,
      "before": conflict.before.map { .string($0.decision.rawValue) } ?? .null,
      "after": .string(conflict.after.decision.rawValue),
    ]
  }
}

extension ProfileField {
  /// `profile.name`
  var qualifiedName: String { "\(subject.rawValue).\(rawValue)" }
}

extension EditState {
  /// As answers for programs call it.
  var name: String {
    switch self {
    case .none: "none"
    case .pending: "pending"
    case .inDoubt: "in_doubt"
    case .acknowledged: "synced"
    case .rejected: "rejected"
    case .held: "held"
    case .differed: "conflict"
    case .undone: "undone"
    }
  }
}
