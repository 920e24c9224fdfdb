extension ScriptedFault {
  /// Parses `METHOD PATH:KIND[:N]`, such as `POST /api/v1/progress:drop-after:2`.
  ///
  /// METHOD is one of the API's, or `*` for all; PATH a path of the API, in which `*` and `{id}`
  /// match any one segment; N the number of the matching request, from 1, all by default. KIND is one
  /// of ``kinds``. Parts in brackets are optional: MS defaults to 1000, DECIMALS to 2, LOSS to
  /// `everything`, and VALUE to the first that the path allows:
  ///
  /// | path | `lie` |
  /// |---|---|
  /// | `/api/v1/progress` | `quantity`, `type`, `notes`, `moment` |
  /// | `/api/v1/sleep` | `moment`, `notes` |
  /// | `/api/v1/users/me` | `name`, `bio`, `preferred_unit_system`, `language_code`, `date_of_birth` |
  /// | `/api/v1/users/me/physical` | `date_of_birth`, `biological_sex`, `height_cm` |
  /// | `/api/v1/users/me/preferences` | `allergies`, `dietary_restrictions`, `food_dislikes` |
  ///
  /// `bad-row` is for `GET /api/v1/progress` and takes `type` (the default), `date`, `quantity` or
  /// `id`; `round` is for `/api/v1/progress`. `no-id` is `omit=id`.
  ///
  /// - Throws: ``BackendError/badFault(text:problem:)``.
  package init(_ text: String) throws(BackendError) {
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
      throw FaultTextError("the path must be followed by :KIND or :KIND:N")
    }
    method = try ScriptedFault.method(words[0])
    path = String(parts[0])
    pattern = try ScriptedFault.pattern(path)
    kind = try Kind(parsing: parts[1], path: path)
    if let home = kind.home, path != home.path || (method ?? home.method) != home.method {
      let name = parts[1].prefix { $0 != "=" }
      throw FaultTextError("\(name) belongs to \(home.method) \(home.path)")
    }
    occurrence = parts.count == 3 ? try ScriptedFault.number(parts[2], 1...1_000_000, "N") : nil
  }

  /// The syntax of every kind.
  package static let kinds = [
    "drop-before", "drop-after", "status-before=CODE", "status-after=CODE", "rate-limit=SECONDS",
    "delay=MS", "delay-before=MS", "duplicate", "late[=MS]", "refresh-race[=MS]", "truncate",
    "garbage", "unwrapped", "no-id", "omit=MEMBER", "lie[=VALUE]", "round[=DECIMALS]",
    "bad-row[=VALUE]", "forget[=LOSS]", "reset-session",
  ]

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

extension ScriptedFault.Kind {
  /// The only request that this kind applies to; `nil` for any.
  fileprivate var home: (method: String, path: String)? {
    switch self {
    case .refreshRace: ("POST", "/api/v1/auth/refresh")
    case .badRow: ("GET", ScriptedFault.progressPath)
    case .dropBefore, .dropAfter, .statusBefore, .statusAfter, .delayBefore, .delay, .duplicate,
      .late, .truncate, .garbage, .omit, .unwrapped, .rateLimit, .lie, .round, .forget,
      .resetSession:
      nil
    }
  }

  fileprivate init(parsing text: Substring, path: String) throws(FaultTextError) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value: Substring? = halves.count == 2 ? halves[1] : nil
    let name = halves[0]

    func number(_ allowed: ClosedRange<Int>) throws(FaultTextError) -> Int {
      guard let value else { throw FaultTextError("\(name) needs a number: \(name)=NUMBER") }
      return try ScriptedFault.number(value, allowed, String(name))
    }
    func milliseconds(default standard: Int32? = nil) throws(FaultTextError) -> Int32 {
      if value == nil, let standard { return standard }
      return Int32(try number(0...3_600_000))
    }
    func plain(_ kind: ScriptedFault.Kind) throws(FaultTextError) -> ScriptedFault.Kind {
      guard value == nil else { throw FaultTextError("\(name) takes no number") }
      return kind
    }
    func word<Word: RawRepresentable<String>>(
      of words: [Word]
    ) throws(FaultTextError) -> Word {
      guard let value else { return words[0] }
      guard let word = words.first(where: { $0.rawValue == value }) else {
        let list = words.map(\.rawValue).joined(separator: ", ")
        throw FaultTextError("\(name) is '\(value)' and must be one of \(list) here")
      }
      return word
    }

    switch name {
    case "drop-before": self = try plain(.dropBefore)
    case "drop-after": self = try plain(.dropAfter)
    case "duplicate": self = try plain(.duplicate)
    case "truncate": self = try plain(.truncate)
    case "garbage": self = try plain(.garbage)
    case "no-id": self = try plain(.omit("id"))
    case "unwrapped": self = try plain(.unwrapped)
    case "status-before": self = .statusBefore(try number(300...599))
    case "status-after": self = .statusAfter(try number(300...599))
    case "delay-before": self = .delayBefore(milliseconds: try milliseconds())
    case "delay": self = .delay(milliseconds: try milliseconds())
    case "late": self = .late(milliseconds: try milliseconds(default: 1000))
    case "refresh-race": self = .refreshRace(milliseconds: try milliseconds(default: 1000))
    case "omit": self = .omit(try Self.member(value))
    case "lie": self = .lie(try word(of: try Self.lies(at: path)))
    case "round":
      guard path == ScriptedFault.progressPath else {
        throw FaultTextError("round belongs to \(ScriptedFault.progressPath)")
      }
      self = .round(decimals: value == nil ? 2 : try number(0...9))
    case "bad-row": self = .badRow(try word(of: ScriptedFault.BadValue.allCases))
    case "forget": self = .forget(try word(of: ScriptedFault.Loss.allCases))
    case "reset-session": self = try plain(.resetSession)
    case "rate-limit": self = .rateLimit(seconds: try number(0...86_400))
    default:
      throw FaultTextError(
        "the kind '\(name)' is none of \(ScriptedFault.kinds.joined(separator: ", "))")
    }
  }

  /// Any name is valid: answers without that member are unchanged.
  private static func member(_ value: Substring?) throws(FaultTextError) -> String {
    guard let value, !value.isEmpty else {
      throw FaultTextError("omit needs a member: omit=MEMBER")
    }
    return String(value)
  }

  /// The values a lie at this path can change; the first is the default.
  private static func lies(at path: String) throws(FaultTextError) -> [ScriptedFault.Lie] {
    switch path {
    case ScriptedFault.progressPath: [.quantity, .type, .notes, .moment]
    case "/api/v1/sleep": [.moment, .notes]
    case "/api/v1/users/me":
      [.name, .bio, .preferredUnitSystem, .languageCode, .dateOfBirth]
    case "/api/v1/users/me/physical": [.dateOfBirth, .biologicalSex, .heightCM]
    case "/api/v1/users/me/preferences": [.allergies, .dietaryRestrictions, .foodDislikes]
    default: throw FaultTextError("the backend stores no values at '\(path)' to lie about")
    }
  }
}

extension ScriptedFault {
  fileprivate static let progressPath = "/api/v1/progress"
}

private struct FaultTextError: Error {
  let problem: String

  init(_ problem: String) {
    self.problem = problem
  }
}
