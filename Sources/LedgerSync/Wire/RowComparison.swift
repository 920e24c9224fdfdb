import LedgerJSON
import LedgerModel

/// Compares a received quantity with the one sent (docs/sync.md, What an answer means).
enum QuantityMatch: Hashable, Sendable {
  /// A relative difference of at most 1e-9.
  case same
  /// The sent one, rounded to two or more decimals.
  case rounded
  case different

  init(sent: Double, got: Double) {
    let distance = (sent - got).magnitude
    if distance <= 1e-9 * max(sent.magnitude, got.magnitude) {
      self = .same
    } else {
      self = Self.isRounding(to: got, distance) ? .rounded : .different
    }
  }

  private static func isRounding(to got: Double, _ distance: Double) -> Bool {
    guard distance <= 0.005_001 else { return false }
    var unit = 1.0
    for decimals in 1...12 {
      unit *= 10
      guard decimals >= 2 else { continue }
      let scaled = got * unit
      let isMultiple = (scaled - scaled.rounded()).magnitude <= 1e-9 * max(1, scaled.magnitude)
      if isMultiple, distance <= 0.5 / unit * (1 + 1e-6) { return true }
    }
    return false
  }
}

/// The compared members of a progress row.
enum RowField: String, CaseIterable, Sendable {
  case type, moment, quantity, notes
}

/// A field with another value at the backend.
package struct ValueDifference: Hashable, Sendable {
  /// The field's name in `conflict.detected`.
  var field: String
  var local: JSONValue
  var remote: JSONValue
}

extension ValueDifference {
  /// `quantity 76.5 kg instead of 75.5 kg`.
  func words(of metric: Metric?, in units: UnitSystem) -> String {
    func text(_ value: JSONValue) -> String {
      guard field == RowField.quantity.rawValue, let metric, let quantity = value.number else {
        return value.serialized
      }
      return metric.words(quantity, in: units)
    }
    return "\(field) \(text(remote)) instead of \(text(local))"
  }
}

extension Metric {
  /// A quantity in the person's unit.
  func words(_ quantity: Double, in units: UnitSystem) -> String {
    guard units == .imperial, let imperialUnit else {
      return JSONNumber.text(quantity) + (unit.isEmpty ? "" : " " + unit)
    }
    let scale = (0..<imperialUnit.decimals).reduce(1.0) { scale, _ in scale * 10 }
    let shown = (quantity / imperialUnit.factor * scale).rounded() / scale
    return "\(JSONNumber.text(shown)) \(imperialUnit.name)"
  }
}

/// The result of comparing sent values with those at the backend.
package struct ValueComparison: Hashable, Sendable {
  package var differences: [ValueDifference] = []
  /// The backend's quantity, if rounded.
  var rounded: Double?

  mutating func add(_ field: String, _ local: JSONValue, _ remote: JSONValue) {
    differences.append(ValueDifference(field: field, local: local, remote: remote.shortened))
  }
}

extension RowKey {
  private var momentText: JSONValue {
    .string(Timestamp(millisecondsSince1970: second * 1000).rfc3339Seconds)
  }

  /// Compares these sent values with a listed row.
  ///
  /// - Parameter agreed: the known rounded quantity at the backend.
  package func compare(with row: ListedRow, agreed: Double? = nil) -> ValueComparison {
    var found = ValueComparison()
    if metric != row.key.metric {
      found.add("type", .string(metric.name), .string(row.key.metric.name))
    }
    if second != row.key.second {
      found.add("moment", momentText, .string(row.moment.rfc3339Seconds))
    }
    let match = QuantityMatch(sent: agreed ?? quantity, got: row.key.quantity)
    switch match {
    case .same: break
    case .rounded where agreed == nil: found.rounded = row.key.quantity
    case .rounded, .different:
      found.add("quantity", .number(quantity), JSONValue.number(row.key.quantity).rounded)
    }
    if notes != row.key.notes { found.add("notes", .text(notes), .text(row.key.notes)) }
    return found
  }

  /// Compares these sent values with the row in an answer, ignoring missing members.
  func compare(withAnswer row: JSONObject) -> ValueComparison {
    var found = ValueComparison()
    if let type = row["type"], !type.isNull, type.string != metric.name {
      found.add("type", .string(metric.name), type)
    }
    if let text = row["date"] ?? row["logged_at"], !text.isNull, !isMoment(of: row) {
      found.add("moment", momentText, Self.momentText(of: row) ?? text)
    }
    if let value = row["quantity"], !value.isNull {
      let got = value.number ?? value.string.flatMap(Double.init)
      switch got.map({ QuantityMatch(sent: quantity, got: $0) }) {
      case .same: break
      case .rounded: found.rounded = got
      case .different, nil: found.add("quantity", .number(quantity), value.rounded)
      }
    }
    if let text = row["notes"], (text.string ?? "").trimmed != notes {
      found.add("notes", .text(notes), text)
    }
    return found
  }

  /// The moment of an answer with separate date and time; `nil` for other answers.
  private static func momentText(of row: JSONObject) -> JSONValue? {
    guard row["time"]?.string != nil else { return nil }
    return WireMoment.read(row).map { .string($0.rfc3339Seconds) }
  }

  /// Whether an answer has this moment, or this day if it has no time.
  private func isMoment(of row: JSONObject) -> Bool {
    guard let moment = WireMoment.read(row) else { return false }
    let time = row["time"] ?? .null
    if time.isNull, let text = row["date"]?.string, let date = CalendarDate(text) {
      return date == day
    }
    return Self.second(of: moment) == second
  }
}

extension JSONValue {
  /// Text as an event records it: `null` if empty.
  fileprivate static func text(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }

  /// Whether the backend treats both as the same value of a profile field: absent, null and empty are
  /// equal, texts are trimmed, dates lose their time, lists are unordered, and heights may be rounded
  /// to two or more decimals.
  func isSameField(as other: JSONValue?) -> Bool {
    guard !isNothing else { return other?.isNothing ?? true }
    guard let other, !other.isNothing else { return false }
    switch (self, other) {
    case (.number(let sent), .number(let got)):
      return QuantityMatch(sent: sent, got: got) != .different
    case (.string(let sent), .string(let got)):
      return sent.trimmed == got.trimmed || Self.isSameDay(sent, got)
    case (.array(let sent), .array(let got)):
      return sent.map(\.serialized).sorted() == got.map(\.serialized).sorted()
    default: return self == other
    }
  }

  private static func isSameDay(_ sent: String, _ got: String) -> Bool {
    guard let date = CalendarDate(sent) else { return false }
    return got.utf8.count > 10 && CalendarDate(String(got.prefix(10))) == date
  }

  /// Null, blank or empty, which the backend treats as the same.
  var isNothing: Bool {
    switch self {
    case .null: true
    case .string(let text): text.trimmed.isEmpty
    case .array(let values): values.isEmpty
    case .bool, .number, .object: false
    }
  }
}

extension ValueComparison {
  func has(_ field: String) -> Bool { differences.contains { $0.field == field } }
}

extension ListedRow {
  func replacing(key: RowKey) -> ListedRow {
    var row = self
    row.key = key
    row.moment = Timestamp(millisecondsSince1970: key.second * 1000)
    return row
  }
}
