import LedgerJSON
public import LedgerSync

/// One exchange, as someone who looks for a fault in an API wants to see it: nothing in it is
/// secret. Keys, tokens and passwords are masked wherever they stand, headers and bodies alike.
public struct WireTrace: Hashable, Sendable {
  /// As it was sent.
  public var method: WireRequest.Method
  /// From the backend's address on, with the query as it is sent.
  public var target: String
  /// As they are sent; those that let a request in are masked.
  public var headers: [Header]
  /// `nil` where there is none.
  public var body: String?
  /// What became of it.
  public var outcome: Outcome
  /// How long the exchange took.
  public var milliseconds: Int

  /// One header field.
  public struct Header: Hashable, Sendable {
    /// As it is sent.
    public var name: String
    /// Masked where it is secret.
    public var value: String
  }

  /// What became of a request.
  public enum Outcome: Hashable, Sendable {
    /// A whole answer came.
    case answered(status: Int, body: String)
    /// Bytes left, and no whole answer came.
    case lost(String)
    /// Nothing left this machine.
    case notSent(String)
  }

  /// `nil` when no whole answer came.
  public var status: Int? {
    if case .answered(let status, _) = outcome { status } else { nil }
  }

  /// What is shown of a body, in bytes; the rest is counted.
  static let longestBodyBytes = 4_096

  init(
    _ request: WireRequest, _ answer: WireAnswer, _ pass: RequestCredentials, milliseconds: Int
  ) {
    let secrets = [pass.apiKey, pass.accessToken]
    method = request.method
    target = (RequestPath.text(of: request) ?? request.path).masking(secrets)
    headers = [Header(name: "X-API-Key", value: Secret.mask)]
    if pass.accessToken != nil {
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
    let text = String(decoding: shown.prefix(longestBodyBytes), as: UTF8.self).masking(secrets)
    let rest = shown.count - longestBodyBytes
    return rest > 0 ? "\(text)… (\(rest) bytes more)" : text
  }
}

extension JSONValue {
  /// Members that hold a secret, in the calls that sign in and renew.
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
