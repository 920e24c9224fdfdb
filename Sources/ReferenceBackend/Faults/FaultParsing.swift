extension Fault {
  /// Reads `METHOD PATH:KIND[:N]`, such as `POST /api/v1/progress:drop-after:2`.
  ///
  /// METHOD is one of the API's, or `*` for all; PATH a path of the API, in which `*` or `{id}`
  /// stands for any one segment; N is which matching request, counted from 1, and every one without
  /// it. KIND is `drop-before`, `drop-after`, `status-before=CODE`, `status-after=CODE`,
  /// `delay=MS` (answered late), `delay-before=MS` (processed late), `duplicate`, `late` or
  /// `late=MS` (dropped, then processed), `refresh-race` or `refresh-race=MS`, `truncate`,
  /// `garbage`, `no-id`, `unwrapped` or `rate-limit=SECONDS`. MS is 1000 where it may be left out.
  ///
  /// - Throws: ``BackendError/badFault(text:problem:)`` that names what is wrong.
  public init(_ text: String) throws(BackendError) {
    do {
      try self.init(parsing: text)
    } catch {
      throw .badFault(text: text, problem: error.problem)
    }
  }

  private init(parsing text: String) throws(FaultTextError) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2 else {
      throw FaultTextError("it must read METHOD PATH:KIND or METHOD PATH:KIND:N")
    }
    let parts = words[1].split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else {
      throw FaultTextError("after the path must stand :KIND or :KIND:N")
    }
    method = try Fault.method(words[0])
    path = String(parts[0])
    pattern = try Fault.pattern(path)
    kind = try Kind(parsing: parts[1])
    if case .refreshRace = kind, path != Fault.refreshPath || (method ?? "POST") != "POST" {
      throw FaultTextError("refresh-race belongs to POST \(Fault.refreshPath)")
    }
    occurrence = parts.count == 3 ? try Fault.number(parts[2], 1...1_000_000, "N") : nil
  }

  private static let refreshPath = "/api/v1/auth/refresh"

  private static func method(_ word: Substring) throws(FaultTextError) -> String? {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    if word == "*" { return nil }
    guard methods.contains(String(word)) else {
      throw FaultTextError(
        "the method '\(word)' is none of \(methods.joined(separator: ", ")) and *")
    }
    return String(word)
  }

  private static func pattern(_ path: String) throws(FaultTextError) -> [String] {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard segments.first == "", Endpoint.exists(at: Array(segments.dropFirst())) else {
      throw FaultTextError("the API has no path '\(path)'")
    }
    return Array(segments.dropFirst())
  }

  fileprivate static func number(
    _ text: Substring, _ allowed: ClosedRange<Int>, _ what: String
  ) throws(FaultTextError) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let number = Int(text), allowed.contains(number)
    else {
      throw FaultTextError(
        "\(what) is '\(text)' and must be a number from \(allowed.lowerBound) to "
          + "\(allowed.upperBound)")
    }
    return number
  }
}

extension Fault.Kind {
  fileprivate init(parsing text: Substring) throws(FaultTextError) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value: Substring? = halves.count == 2 ? halves[1] : nil
    let name = halves[0]

    func number(_ allowed: ClosedRange<Int>) throws(FaultTextError) -> Int {
      guard let value else { throw FaultTextError("\(name) needs a number: \(name)=NUMBER") }
      return try Fault.number(value, allowed, String(name))
    }
    func milliseconds(default standard: Int32? = nil) throws(FaultTextError) -> Int32 {
      if value == nil, let standard { return standard }
      return Int32(try number(0...3_600_000))
    }
    func plain(_ kind: Fault.Kind) throws(FaultTextError) -> Fault.Kind {
      guard value == nil else { throw FaultTextError("\(name) takes no number") }
      return kind
    }

    switch name {
    case "drop-before": self = try plain(.dropBefore)
    case "drop-after": self = try plain(.dropAfter)
    case "duplicate": self = try plain(.duplicate)
    case "truncate": self = try plain(.truncate)
    case "garbage": self = try plain(.garbage)
    case "no-id": self = try plain(.noID)
    case "unwrapped": self = try plain(.unwrapped)
    case "status-before": self = .statusBefore(try number(300...599))
    case "status-after": self = .statusAfter(try number(300...599))
    case "delay-before": self = .delayBefore(milliseconds: try milliseconds())
    case "delay": self = .delay(milliseconds: try milliseconds())
    case "late": self = .late(milliseconds: try milliseconds(default: 1000))
    case "refresh-race": self = .refreshRace(milliseconds: try milliseconds(default: 1000))
    case "rate-limit": self = .rateLimit(seconds: try number(0...86_400))
    default:
      throw FaultTextError(
        "the kind '\(name)' is none of drop-before, drop-after, status-before=CODE, "
          + "status-after=CODE, delay-before=MS, delay=MS, duplicate, late, late=MS, refresh-race, "
          + "refresh-race=MS, truncate, garbage, no-id, unwrapped and rate-limit=SECONDS")
    }
  }
}

private struct FaultTextError: Error {
  let problem: String

  init(_ problem: String) {
    self.problem = problem
  }
}
