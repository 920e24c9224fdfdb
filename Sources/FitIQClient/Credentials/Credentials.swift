import LedgerJSON
import LedgerModel
import LedgerPlatform
import LedgerSync

/// An account, its backend, and the secrets of its session.
public struct Credentials: Hashable, Sendable {
  /// `scheme://host[:port]`: the only origin the secrets are sent to.
  public var origin: String
  /// The path before the backend's API, from the address at sign-in; may be empty.
  public var pathPrefix: String
  /// In lower case, as in the log.
  public var email: String
  /// Known from a registration, or once the account has a profile.
  public var userID: String?
  /// `nil` after a logout.
  public var apiKey: Secret?
  /// The session's tokens; `nil` if signed out.
  public var tokens: TokenPair?
  /// Counts the stored token pairs; never decreases while the file exists.
  public var generation: Int
  /// The path under which a credential helper keeps the secrets, as its file has it.
  var helperPath: String?

  /// The credentials a store keeps.
  public init(
    origin: String, pathPrefix: String = "", email: String, userID: String? = nil,
    apiKey: Secret?, tokens: TokenPair? = nil, generation: Int
  ) {
    self.origin = origin
    self.pathPrefix = pathPrefix
    self.email = email
    self.userID = userID
    self.apiKey = apiKey
    self.tokens = tokens
    self.generation = generation
  }

  /// The backend's address.
  public var address: String { origin + pathPrefix }

  /// Whether a call has all the secrets it needs.
  public var isSignedIn: Bool { tokens != nil && apiKey != nil }
}

/// The tokens of a session. The refresh token works once.
public struct TokenPair: Hashable, Sendable {
  /// Sent with every call.
  public var access: Secret
  /// Exchanged for the next pair, once.
  public var refresh: Secret

  /// A pair issued by the backend.
  public init(access: Secret, refresh: Secret) {
    self.access = access
    self.refresh = refresh
  }
}

extension Credentials {
  func with(_ fresh: TokenPair) -> Credentials {
    var next = self
    next.tokens = fresh
    next.generation += 1
    return next
  }

  /// Signed out. The address and the account stay as defaults for the next sign-in.
  func withoutTokens() -> Credentials {
    var next = self
    next.tokens = nil
    return next
  }
}

extension TokenPair {
  /// - Returns: `nil` when a token is missing or could not be sent back.
  init?(in response: WireAnswer.Response) {
    guard let object = response.value?.object,
      let access = object["access_token"]?.string.map({ Secret($0) }), access.fitsHeader,
      let refresh = object["refresh_token"]?.string.map({ Secret($0) }), refresh.fitsHeader
    else { return nil }
    self.init(access: access, refresh: refresh)
  }
}

// The stored form: one JSON object.
extension Credentials {
  var stored: [UInt8] {
    var object: JSONObject = ["origin": .string(origin), "email": .string(email)]
    object["path_prefix"] = pathPrefix.isEmpty ? nil : .string(pathPrefix)
    object["user_id"] = userID.map { .string($0) }
    object["api_key"] = apiKey.map { .string($0.text) }
    object["access_token"] = tokens.map { .string($0.access.text) }
    object["refresh_token"] = tokens.map { .string($0.refresh.text) }
    object["generation"] = JSONValue(generation)
    object["helper_path"] = helperPath.map { .string($0) }
    return Array((object.serialized + "\n").utf8)
  }

  private static let names: Set<String> = [
    "origin", "path_prefix", "email", "user_id", "api_key", "access_token", "refresh_token",
    "generation", "helper_path",
  ]

  /// - Returns: `nil` for anything that ``stored`` does not write; partly understood credentials are
  ///   not used.
  init?(stored bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      object.members.allSatisfy({ Self.names.contains($0.name) }),
      object.members.allSatisfy({ $0.name == "generation" || $0.value.string != nil }),
      let origin = object["origin"]?.string,
      case let prefix = object["path_prefix"]?.string ?? "",
      let address = try? BackendAddress(origin + prefix), address.origin == origin,
      address.pathPrefix == prefix,
      let email = object["email"]?.string,
      let generation = object["generation"]?.integer, generation >= 0
    else { return nil }
    let secrets = ["api_key", "access_token", "refresh_token"].map {
      object[$0]?.string.map { Secret($0) }
    }
    guard secrets.allSatisfy({ $0?.fitsHeader ?? true }) else { return nil }
    let tokens: TokenPair?
    switch (secrets[1], secrets[2]) {
    case (let access?, let refresh?): tokens = TokenPair(access: access, refresh: refresh)
    case (nil, nil): tokens = nil
    case (_?, nil), (nil, _?): return nil
    }
    self.init(
      origin: origin, pathPrefix: prefix, email: email, userID: object["user_id"]?.string,
      apiKey: secrets[0], tokens: tokens, generation: generation)
    helperPath = object["helper_path"]?.string
  }
}

#if os(Linux)
  import CProcess
#endif

/// Text hidden from descriptions, dumps and messages.
public struct Secret: Hashable, Sendable {
  let text: String

  /// A password, a key or a token.
  public init(_ text: String) {
    self.text = text
  }

  /// Whether it can be a header's value: visible ASCII only, so that it cannot inject a header.
  package var fitsHeader: Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  static let mask = "***"

  public var description: String { Self.mask }
  public var debugDescription: String { Self.mask }
  /// Without this, `dump` would show the stored text.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension String {
  /// Masks secrets, because a peer may echo what it received and messages are logged. Secrets under
  /// six bytes stay: they also occur in ordinary words.
  func masking(_ secrets: [Secret?]) -> String {
    var masked = self
    for case let secret? in secrets where secret.text.utf8.count >= 6 {
      masked = masked.split(separator: secret.text, omittingEmptySubsequences: false)
        .joined(separator: Secret.mask)
    }
    return masked
  }
}

extension JSONValue {
  /// Masks secrets in all names and strings.
  func masking(_ secrets: [Secret?]) -> JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .string(let text): .string(text.masking(secrets))
    case .array(let values): .array(values.map { $0.masking(secrets) })
    case .object(let object):
      .object(
        JSONObject(
          members: object.members.map {
            .init(name: $0.name.masking(secrets), value: $0.value.masking(secrets))
          }))
    }
  }
}

/// The memory of a process that holds tokens and keys.
public enum SecretMemory {
  /// Keeps the memory out of core dumps, and on Linux also from debuggers and other processes of the
  /// same user. `ledger-sync` calls it at its start. An app may call it before it opens a ledger;
  /// crash reporters that read the process's memory then fail.
  public static func protect() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      _ = setrlimit(RLIMIT_CORE, &none)
    #endif
    #if os(Linux)
      // The limit does not apply to core dumps piped to a program such as systemd-coredump.
      _ = cprocess_set_dumpable(0)
    #endif
  }
}
