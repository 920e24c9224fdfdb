/// Where a backend is: an origin that credentials can be bound to, and the path before its API.
public struct BackendAddress: Hashable, Sendable, CustomStringConvertible {
  /// `scheme://host[:port]` in lower case, without the scheme's own port.
  public let origin: String
  /// Empty, or a slash and the rest without a slash at the end.
  public let pathPrefix: String
  let host: BackendHost

  /// As it can be typed again.
  public var text: String { origin + pathPrefix }
  public var description: String { text }
  /// `host[:port]`, as the header `Host` has it.
  var authority: String { origin.split(separator: "/").last.map(String.init) ?? host.text }

  /// Strict, because keys and tokens travel there: https, or http to this very machine.
  ///
  /// - Throws: ``ClientError/badAddress(problem:)``, which never repeats the text: people paste
  ///   passwords into addresses.
  public init(_ text: String) throws(ClientError) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badAddress(problem: "it holds spaces or letters beyond ASCII")
    }
    let (scheme, rest) = try Self.scheme(of: text)
    guard !rest.contains(where: { "?#".contains($0) }) else {
      throw .badAddress(problem: "it has a query or a fragment")
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash]
    guard !authority.contains("@") else {
      throw .badAddress(problem: "it holds a user name or a password")
    }
    let (host, port) = try Self.hostAndPort(authority, ownPort: scheme.ownPort)
    guard scheme == .https || host.isThisMachine else {
      throw .badAddress(problem: "http is for this machine alone; use https")
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
  ) throws(ClientError) -> (scheme: Scheme, rest: Substring) {
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
      throw .badAddress(problem: "it does not begin with https://")
    }
    return (scheme, parts[1])
  }

  private static func hostAndPort(
    _ authority: Substring, ownPort: UInt16
  ) throws(ClientError) -> (host: BackendHost, port: UInt16?) {
    // The last colon divides, unless it stands inside an IPv6 address.
    let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
    let colon = authority[bracket...].lastIndex(of: ":")
    guard let host = BackendHost(authority[..<(colon ?? authority.endIndex)].lowercased()) else {
      throw .badAddress(problem: "its host is no host name")
    }
    guard let colon else { return (host, nil) }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
      port > 0
    else { throw .badAddress(problem: "its port is no number from 1 to 65535") }
    return (host, port == ownPort ? nil : port)
  }

  private static func prefix(_ path: Substring) throws(ClientError) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: true)
    for segment in segments {
      guard segment != ".", segment != "..", segment.utf8.allSatisfy(RequestPath.isUnreserved)
      else { throw .badAddress(problem: "its path is not made of plain names") }
    }
    return segments.map { "/" + $0 }.joined()
  }
}
