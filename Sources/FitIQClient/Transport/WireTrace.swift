import LedgerJSON
public import LedgerModel
public import LedgerSync

/// One exchange, for debugging an API. Keys, tokens and passwords are masked in headers and bodies.
public struct WireTrace: Hashable, Sendable {
  /// The request's method, such as `POST`.
  public var method: String
  /// Path and query, relative to the backend's address.
  public var target: String
  /// The API's headers, with the credentials masked; the transport adds its own.
  public var headers: [Header]
  /// The request's body, `nil` without one.
  public var body: String?
  /// The answer or the failure.
  public var outcome: Outcome
  /// How long the exchange took.
  public var milliseconds: Int

  /// One header field.
  public struct Header: Hashable, Sendable {
    /// The header's name.
    public var name: String
    /// The value, masked if it is secret.
    public var value: String
  }

  /// The outcome of a request.
  public enum Outcome: Hashable, Sendable {
    /// A complete answer came.
    case answered(status: Int, body: String)
    /// The request was sent and no complete answer came.
    case lost(String)
    /// The request was not sent.
    case notSent(String)
  }

  /// The answer's status, `nil` without a complete answer.
  public var status: Int? {
    if case .answered(let status, _) = outcome { status } else { nil }
  }

  /// How much of a body is shown; the rest is counted.
  private static let shownBodyBytes = 4_096

  init(
    _ request: WireRequest, _ answer: WireAnswer, _ credentials: RequestCredentials,
    milliseconds: Int
  ) {
    let secrets = [credentials.apiKey, credentials.accessToken]
    method = request.method.rawValue
    target = (request.target ?? request.path).masking(secrets)
    headers = [Header(name: "X-API-Key", value: Secret.mask)]
    if credentials.accessToken != nil {
      headers.append(Header(name: "Authorization", value: "Bearer \(Secret.mask)"))
    }
    headers.append(Header(name: "Accept", value: "application/json"))
    if request.body != nil {
      headers.append(Header(name: "Content-Type", value: "application/json"))
    }
    body = request.body.map { Self.text($0, secrets) }
    self.milliseconds = milliseconds
    outcome =
      switch answer {
      case .response(let response):
        .answered(status: response.status, body: Self.text(response.body, secrets))
      case .notSent(let reason): .notSent(reason.masking(secrets))
      case .lost(let reason), .signedOut(let reason), .refreshFailed(let reason):
        .lost(reason.masking(secrets))
      }
  }

  private static func text(_ body: [UInt8], _ secrets: [Secret?]) -> String {
    var shown = body
    if let json = try? JSONValue(parsing: body) {
      shown = []
      json.withoutSecrets.write(into: &shown)
    }
    // Masked before it is cut: the cut may be within a secret.
    let text = String(decoding: shown, as: UTF8.self).masking(secrets)
    let rest = text.utf8.count - shownBodyBytes
    guard rest > 0 else { return text }
    let shortened = String(decoding: text.utf8.prefix(shownBodyBytes), as: UTF8.self)
    return "\(shortened)… (\(rest) bytes more)"
  }
}

extension JSONValue {
  /// The secret members of the calls that sign in and renew.
  private static let secretNames = ["password", "access_token", "refresh_token", "api_key"]

  fileprivate var withoutSecrets: JSONValue {
    switch self {
    case .object(var object):
      for index in object.members.indices {
        let member = object.members[index]
        object.members[index].value =
          Self.secretNames.contains(member.name)
          ? .string(Secret.mask) : member.value.withoutSecrets
      }
      return .object(object)
    case .array(let values): return .array(values.map(\.withoutSecrets))
    case .null, .bool, .number, .string: return self
    }
  }
}

/// A transport that reports every exchange.
public struct TracedTransport: BackendTransport {
  private let transport: any BackendTransport
  private let trace: @Sendable (WireTrace) -> Void

  /// - Parameter trace: called after every exchange.
  public init(
    _ transport: any BackendTransport, trace: @escaping @Sendable (WireTrace) -> Void
  ) {
    self.transport = transport
    self.trace = trace
  }

  public func send(
    _ request: WireRequest, to address: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer {
    let start = ContinuousClock.now
    let answer = await transport.send(request, to: address, with: credentials)
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    trace(
      WireTrace(
        request, answer, credentials,
        milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)))
    return answer
  }
}
