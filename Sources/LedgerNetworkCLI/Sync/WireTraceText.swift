import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerModel
import LedgerSync

/// `sync --trace`: each exchange on standard error, secrets masked.
struct WireTraceText: Sendable {
  let console: Console

  func write(_ trace: WireTrace) {
    for line in console.json ? [json(trace).serialized] : text(trace) { console.note(line) }
  }

  private func text(_ trace: WireTrace) -> [String] {
    let paint = console.paint
    var lines = ["\(paint.bold("→ \(trace.method)")) \(console.shown(trace.target))"]
    lines += trace.headers.map { "  " + paint.dim("\($0.name): \($0.value)") }
    if let body = trace.body { lines.append("  " + console.shown(body)) }
    switch trace.outcome {
    case .answered(let status, let body):
      let isFine = (200..<300).contains(status)
      let line = "← \(status) in \(trace.milliseconds) ms"
      lines.append(isFine ? paint.green(line) : paint.yellow(line))
      if !body.isEmpty { lines.append("  " + console.shown(body)) }
    case .lost(let reason):
      lines.append(
        paint.yellow(
          "← no complete answer after \(trace.milliseconds) ms: \(console.shown(reason))"))
    case .notSent(let reason):
      lines.append(paint.yellow("← not sent: \(console.shown(reason))"))
    }
    return lines
  }

  private func json(_ trace: WireTrace) -> JSONObject {
    var headers = JSONObject()
    for header in trace.headers { headers[header.name] = .string(header.value) }
    var object = JSONObject([
      "method": trace.method, "target": trace.target, "headers": headers, "body": trace.body,
    ])
    switch trace.outcome {
    case .answered(let status, let body):
      object["status"] = JSONValue(status)
      object["answer"] = .string(body)
    case .lost(let reason): object["lost"] = .string(reason)
    case .notSent(let reason): object["not_sent"] = .string(reason)
    }
    object["milliseconds"] = JSONValue(trace.milliseconds)
    return object
  }
}
