import Foundation
public import LedgerSync

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The system's own client: one request, one answer, no second try and no detour.
public final class URLSessionTransport: BackendTransport {
  /// How long an exchange may take where nothing else is said.
  public static let usualDeadlineSeconds = 30.0

  private let deadlines: Deadlines
  let configuration: URLSessionConfiguration
  /// For reading only: a request on a connection that has died meanwhile is sent again behind our
  /// back, on Linux without its body, which nothing but a GET survives.
  private let reading: TransportSession
  #if !canImport(FoundationNetworking)
    /// The same for this machine.
    private let readingHere: TransportSession
  #endif

  /// - Parameter deadlineSeconds: for a whole exchange, from the first look-up to the last byte.
  public init(deadlineSeconds: Double = URLSessionTransport.usualDeadlineSeconds) {
    deadlines = Deadlines(seconds: deadlineSeconds)
    // The system's limit only stands behind ours, for the case that ours is never reached.
    configuration = TransportSession.configuration(limitSeconds: deadlineSeconds.rounded(.up) + 5)
    #if canImport(FoundationNetworking)
      CurlEnvironment.ignoresKeyLog
    #else
      readingHere = TransportSession(configuration, isDirect: true)
    #endif
    reading = TransportSession(configuration)
  }

  deinit {
    reading.close()
    #if !canImport(FoundationNetworking)
      readingHere.close()
    #endif
  }

  public func send(
    _ request: WireRequest, to address: BackendAddress, with pass: RequestCredentials
  ) async -> WireAnswer {
    // A transport that nobody else holds would end its session under the running request.
    defer { withExtendedLifetime(self) {} }
    guard pass.fitsHeaders else {
      return .notSent(reason: "the API key or the token holds what no header may hold")
    }
    guard let target = RequestPath.text(of: request), let url = Self.url(address, target)
    else { return .notSent(reason: "the path \(request.path) leads elsewhere") }
    guard !Task.isCancelled else { return .notSent(reason: "it was cancelled") }
    #if canImport(FoundationNetworking)
      if address.host.isThisMachine, let host = url.host { CurlEnvironment.exemptFromProxies(host) }
    #endif
    let message = message(request, to: address, url, pass)
    guard request.method.mutates else { return await run(message, in: reading(at: address)) }
    let lane = TransportSession(configuration, isDirect: address.host.isThisMachine)
    defer { lane.close() }
    return await run(message, in: lane)
  }

  /// What goes to this machine may be unencrypted, so it never takes a detour through a proxy.
  private func reading(at address: BackendAddress) -> TransportSession {
    #if !canImport(FoundationNetworking)
      if address.host.isThisMachine { return readingHere }
    #endif
    return reading
  }

  /// On Linux the system's client takes no IPv6 address: Foundation and libcurl disagree about the
  /// brackets. For `localhost` libcurl tries `::1` first, and 127.0.0.1 only if nothing listens
  /// there. With https the certificate would be compared with the wrong name; there it stays.
  private static func url(_ address: BackendAddress, _ target: String) -> URL? {
    #if canImport(FoundationNetworking)
      let plain = "http://[::1]"
      if address.text.hasPrefix(plain) {
        return URL(string: "http://localhost" + address.text.dropFirst(plain.count) + target)
      }
    #endif
    return URL(string: address.text + target)
  }

  /// The deadline and the answer race: the system's own limits are whole seconds between two bytes on
  /// Linux, which a peer that drips one byte a second never exceeds.
  private func run(_ message: URLRequest, in lane: TransportSession) async -> WireAnswer {
    let exchange = Exchange()
    deadlines.watch(exchange)
    defer {
      deadlines.drop(exchange)
      lane.finish(exchange)
    }
    return await withTaskCancellationHandler {
      lane.start(message, as: exchange)
      return await exchange.answer()
    } onCancel: {
      exchange.end(.lost(reason: "it was cancelled"))
    }
  }

  private func message(
    _ request: WireRequest, to address: BackendAddress, _ url: URL, _ pass: RequestCredentials
  ) -> URLRequest {
    var message = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: configuration.timeoutIntervalForRequest)
    message.httpMethod = request.method.rawValue
    message.httpShouldHandleCookies = false
    #if canImport(FoundationNetworking)
      if url.host != address.host.text {
        message.setValue(address.authority, forHTTPHeaderField: "Host")
      }
    #endif
    for (name, value) in pass.headers { message.setValue(value, forHTTPHeaderField: name) }
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    // Else the system tells the program's name and the version of its own.
    message.setValue("ledger", forHTTPHeaderField: "User-Agent")
    // An answer as it is, so that its length can be checked against the one it names.
    message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let body = request.body {
      message.setValue("application/json", forHTTPHeaderField: "Content-Type")
      message.httpBody = Data(body)
    }
    return message
  }
}

extension WireAnswer {
  var status: Int? { if case .response(let response) = self { response.status } else { nil } }
}
