public import LedgerModel
import LedgerPlatform
public import LedgerSync

/// Sends one request and returns one answer, without retries and redirects. An app can supply its
/// own HTTP client here, a test a backend without sockets.
public protocol BackendTransport: Sendable {
  /// Sends a request and waits for its outcome. Never throws: every outcome is an answer.
  ///
  /// Redirects must not be followed, since the credentials would be sent along, and a request that
  /// changes something must not be repeated. `WireAnswer.notSent` is for requests that
  /// were certainly not sent; return `WireAnswer.lost` when in doubt.
  ///
  /// - Parameters:
  ///   - request: its path is relative to the address.
  ///   - address: the backend.
  ///   - credentials: the credentials to send in the headers.
  func send(
    _ request: WireRequest, to address: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer
}

/// The app's key and, in a session, the access token of a request.
public struct RequestCredentials: Sendable {
  let apiKey: Secret
  var accessToken: Secret?

  /// The headers in clear text: send them, never log them.
  public var headers: [(name: String, value: String)] {
    [("X-API-Key", apiKey.text)]
      + (accessToken.map { [("Authorization", "Bearer \($0.text)")] } ?? [])
  }

  var fitsHeaders: Bool { apiKey.fitsHeader && accessToken?.fitsHeader ?? true }
}

extension WireRequest {
  /// The path as planned and recorded, with the encoded query.
  ///
  /// `nil` for a path with characters that need encoding, or with dot segments: clients resolve `..`
  /// before they send, some also when it is encoded, and an id made of it could turn the deletion of
  /// a row into that of the account.
  var target: String? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.first?.isEmpty == true, segments.count > 1,
      segments.allSatisfy({ Self.isEncoded($0.utf8) && !Self.isDots($0) })
    else { return nil }
    guard !query.isEmpty else { return path }
    let items = query.map {
      "\(PercentEncoding.encode($0.name.utf8))=\(PercentEncoding.encode($0.value.utf8))"
    }
    return path + "?" + items.joined(separator: "&")
  }

  private static func isEncoded(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard !PercentEncoding.isUnreserved(byte) else { continue }
      let digits = rest.prefix(2)
      guard byte == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ PercentEncoding.hexDigit($0) != nil })
      else { return false }
      rest = rest.dropFirst(2)
    }
    return true
  }

  private static func isDots(_ segment: Substring) -> Bool {
    let plain = segment.uppercased().replacing("%2E", with: ".")
    return plain == "." || plain == ".."
  }
}
