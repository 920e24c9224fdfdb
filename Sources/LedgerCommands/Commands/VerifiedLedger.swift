import LedgerJSON
import LedgerLog

/// What `verify` found out about one ledger.
struct VerifiedLedger: Sendable {
  let directory: LedgerDirectory
  private let result: Verification
  /// The event that carries the hash that was asked for.
  let expectedAt: Int?
  let problems: [Damage]

  init(
    _ directory: LedgerDirectory, expecting expected: ChainHash? = nil,
    onProgress: (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) {
    self.directory = directory
    result = try Verification.verify(directory, lookingFor: expected, onProgress: onProgress)
    expectedAt = result.lookedForAt
    // Where only the byte is known, it is the first line that was not found right.
    let next = result.events + 1
    var problems = result.problems.map { found in
      Damage(line: found.line ?? next, byte: found.byte, problem: found.problem)
    }
    if let expected, expectedAt == nil {
      problems.append(
        Damage(
          line: next, byte: result.head.offsetBytes,
          problem: "no event of this chain has the hash \(expected): the log was cut off before "
            + "it, or written anew"))
    }
    self.problems = problems
  }

  /// With a bar while it takes long.
  init(
    _ directory: LedgerDirectory, expecting expected: ChainHash? = nil, on console: Console
  ) throws(LogError) {
    var bar: ProgressBar?
    try self.init(directory, expecting: expected) { done, total in
      if bar == nil { bar = console.progress("checking \(directory.path)", total: total) }
      bar?.advance(to: done)
    }
    bar?.finish()
  }

  var isOK: Bool { problems.isEmpty && tornTailBytes == 0 }
  var events: Int { result.events }
  var erased: Int { result.erased }
  var head: Head { result.head }
  var tornTailBytes: Int { result.tornTailBytes }

  var json: JSONObject {
    [
      "ok": .bool(isOK), "events": JSONValue(events), "erased": JSONValue(erased),
      "head": .object(ChainPosition(head).json), "torn_tail_bytes": JSONValue(tornTailBytes),
      "problems": .array(
        problems.map { problem in
          [
            "line": JSONValue(problem.line ?? events + 1), "byte": JSONValue(problem.byte),
            "problem": .string(problem.problem),
          ]
        }),
    ]
  }

  /// For an answer about several ledgers.
  var namedJSON: JSONValue {
    .object(
      JSONObject(
        members: [.init(name: "ledger", value: .string(directory.path))] + json.members))
  }
}
