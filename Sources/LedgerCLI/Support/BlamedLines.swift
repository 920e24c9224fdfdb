import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// The values of a `blame`, each with the event that gave it, read from the log.
struct BlamedLines {
  struct Line {
    var value: BlamedValue
    /// `nil` for what was never set.
    var recorded: RecordedEvent?

    var source: ValueSource? { recorded.map { ValueSource($0) } }
  }

  private(set) var all: [Line] = []
  /// The device that this ledger is kept on, as it was called when the ledger was made.
  private(set) var device: String?

  init(_ values: [BlamedValue], in view: LogView) throws(LogError) {
    for value in values {
      let recorded = try value.seq.map { seq throws(LogError) in try view.line(seq).event() }
      all.append(Line(value: value, recorded: recorded))
    }
    if case .ledgerCreated(let data) = try view.line(Seq(1)).event().event.payload {
      device = data.device
    }
  }

  func json(_ line: Line) -> JSONObject {
    var object = JSONObject()
    switch line.value.what {
    case .field(let field): object["field"] = .string(field.qualifiedName)
    case .part(let name, _): object["field"] = .string(name)
    }
    object["value"] = line.value.value ?? .null
    object["seq"] = line.recorded.map { JSONValue($0.seq.number) } ?? .null
    guard let recorded = line.recorded, let source = line.source else { return object }
    object["at"] = .string(recorded.event.at.description)
    object["by"] = .string(recorded.event.by.rawValue)
    object["type"] = .string(recorded.event.payload.type)
    object["source"] = .string(source.name)
    object["conflict"] = source.conflict.map { JSONValue($0.number) }
    object["device"] = source.isHere ? device.map { .string($0) } : nil
    object["status"] = line.value.status.map { .string($0) }
    return object
  }
}

extension ValueSource {
  var name: String {
    switch self {
    case .edit: "edit"
    case .imported: "import"
    case .pulled: "pulled"
    case .policy: "policy"
    case .decision: "decision"
    case .answer: "answer"
    }
  }

  var conflict: Seq? {
    switch self {
    case .policy(let conflict), .decision(let conflict, _): conflict
    case .edit, .imported, .pulled, .answer: nil
    }
  }

  /// Whether the value was given on this device.
  var isHere: Bool {
    switch self {
    case .edit, .imported, .decision: true
    case .pulled, .policy, .answer: false
    }
  }
}
