import LedgerJSON
import LedgerPlatform

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
