import LedgerJSON

/// A JSON list on one line whose items leave as they become known, so that a long one is never held.
struct JSONListWriter {
  private let console: Console
  private var isEmpty = true

  init(to console: Console) {
    self.console = console
  }

  mutating func add(_ item: JSONValue) throws(OutputFailure) {
    try console.write((isEmpty ? "[" : ",") + item.serialized)
    isEmpty = false
  }

  func finish() throws(OutputFailure) {
    try console.line(isEmpty ? "[]" : "]")
  }
}
