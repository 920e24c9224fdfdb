import LedgerPlatform

/// A backend's origin, to which credentials are bound, and the path before its API.
public struct BackendAddress: Hashable, Sendable, CustomStringConvertible {
  /// `scheme://host[:port]` in lower case, without the scheme's own port.
  public let origin: String
  /// Empty, or `/path` without a slash at the end.
  public let pathPrefix: String
  package let host: BackendHost

  /// The whole address.
  public var text: String { origin + pathPrefix }
  public var description: String { text }

  /// Accepts https, and http to this machine only, because keys and tokens are sent there.
  ///
  /// - Throws: what is wrong, without the text, which may hold a password.
  package init(parsing text: String) throws(AddressProblem) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw AddressProblem(words: "it has spaces or characters other than ASCII")
    }
    let (scheme, rest) = try Self.scheme(of: text)
    guard !rest.contains(where: { "?#".contains($0) }) else {
      throw AddressProblem(words: "it has a query or a fragment")
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash]
    guard !authority.contains("@") else {
      throw AddressProblem(words: "it has a user name or a password")
    }
    let (host, port) = try Self.hostAndPort(authority, ownPort: scheme.ownPort)
    guard scheme == .https || host.isThisMachine else {
      throw AddressProblem(words: "http is allowed for this machine only; use https")
    }
    self.host = host
    origin = "\(scheme.rawValue)://\(host.text)" + (port.map { ":\($0)" } ?? "")
    pathPrefix = try Self.prefix(rest[slash...])
  }

  private enum Scheme: String {
    case http, https

    var ownPort: UInt16 { self == .https ? 443 : 80 }
  }

  private static func scheme(
    of text: String
  ) throws(AddressProblem) -> (scheme: Scheme, rest: Substring) {
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
      throw AddressProblem(words: "it does not begin with https://, or http:// for this machine")
    }
    return (scheme, parts[1])
  }

  private static func hostAndPort(
    _ authority: Substring, ownPort: UInt16
  ) throws(AddressProblem) -> (host: BackendHost, port: UInt16?) {
    // Colons inside the brackets belong to an IPv6 address.
    let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
    let colon = authority[bracket...].lastIndex(of: ":")
    guard let host = BackendHost(authority[..<(colon ?? authority.endIndex)].lowercased()) else {
      throw AddressProblem(words: "its host is not a valid name or address")
    }
    guard let colon else { return (host, nil) }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
      port > 0
    else { throw AddressProblem(words: "its port is not a number from 1 to 65535") }
    return (host, port == ownPort ? nil : port)
  }

  private static func prefix(_ path: Substring) throws(AddressProblem) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: true)
    for segment in segments {
      guard segment != ".", segment != "..", segment.utf8.allSatisfy(PercentEncoding.isUnreserved)
      else { throw AddressProblem(words: "its path has a name or a character that is not allowed") }
    }
    return segments.map { "/" + $0 }.joined()
  }
}

/// Why a text is not a backend's address, as the end of a sentence.
package struct AddressProblem: Error {
  package var words: String
}

/// A host in lower case: a name, an IPv4 address, or an IPv6 address in brackets.
package struct BackendHost: Hashable, Sendable {
  package let text: String
  /// Whether it is a loopback address, so that nothing sent there leaves this machine.
  package let isThisMachine: Bool

  init?(_ text: String) {
    self.text = text
    if text.hasPrefix("[") {
      guard text.hasSuffix("]"), let bytes = Self.ipv6(text.dropFirst().dropLast()) else {
        return nil
      }
      // Compared as bytes, since an address has several spellings.
      let isMapped = bytes.starts(with: Self.mapped) && bytes[Self.mapped.count] == 127
      isThisMachine = isMapped || bytes == Array(repeating: 0, count: 15) + [1]
      return
    }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else {
      return nil
    }
    // A last label that begins with a digit means an address. Resolvers also read 127.1 and 0x7f.1
    // as addresses, so only four plain numbers are accepted.
    guard let first = last.utf8.first, (0x30...0x39).contains(first) else {
      isThisMachine = text == "localhost"
      return
    }
    let numbers = labels.compactMap { Self.number($0) }
    guard labels.count == 4, numbers.count == 4 else { return nil }
    isThisMachine = numbers[0] == 127
  }

  /// The start of an IPv6 address that stands for an IPv4 address: systems connect to that one.
  private static let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF]

  private static func number(_ label: Substring) -> UInt8? {
    guard label == "0" || !label.hasPrefix("0") else { return nil }
    return UInt8(label)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }
  }

  /// The 16 bytes of an address; `nil` for what is none, or has a zone.
  private static func ipv6(_ text: Substring) -> [UInt8]? {
    guard !text.contains("%") else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, String(text), &bytes) == 1 ? bytes : nil
  }
}
