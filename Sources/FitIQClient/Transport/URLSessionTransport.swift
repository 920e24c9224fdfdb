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
  private let reading: Lane

  /// - Parameter deadlineSeconds: for a whole exchange, from the first look-up to the last byte.
  public init(deadlineSeconds: Double = URLSessionTransport.usualDeadlineSeconds) {
    deadlines = Deadlines(seconds: deadlineSeconds)
    // The system's limit only stands behind ours, for the case that ours is never reached.
    configuration = Lane.configuration(limitSeconds: deadlineSeconds.rounded(.up) + 5)
    reading = Lane(configuration)
  }

  deinit { reading.close() }

  public func send(
    _ request: WireRequest, to address: BackendAddress, with pass: WirePass
  ) async -> WireAnswer {
    // A transport that nobody else holds would end its session under the running request.
    defer { withExtendedLifetime(self) {} }
    guard pass.fitsHeaders else {
      return .notSent(reason: "the API key or the token holds what no header may hold")
    }
    guard let target = RequestTarget.text(of: request), let url = URL(string: address.text + target)
    else { return .notSent(reason: "the path \(request.path) leads elsewhere") }
    guard !Task.isCancelled else { return .notSent(reason: "it was cancelled") }
    let message = message(request, url, pass)
    guard request.method.mutates else { return await run(message, in: reading) }
    let lane = Lane(configuration)
    defer { lane.close() }
    return await run(message, in: lane)
  }

  /// The deadline and the answer race: the system's own limits are whole seconds between two bytes on
  /// Linux, which a peer that drips one byte a second never exceeds.
  private func run(_ message: URLRequest, in lane: Lane) async -> WireAnswer {
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

  private func message(_ request: WireRequest, _ url: URL, _ pass: WirePass) -> URLRequest {
    var message = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: configuration.timeoutIntervalForRequest)
    message.httpMethod = request.method.rawValue
    message.httpShouldHandleCookies = false
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
