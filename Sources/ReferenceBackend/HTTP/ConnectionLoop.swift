/// Serves one connection, request after request, until one side has had enough.
struct ConnectionLoop: Sendable {
  let connection: Connection
  let service: HTTPService

  func run() {
    var reader = RequestReader(connection, limits: service.limits)
    do throws(RequestFailure) {
      while let request = try reader.next() {
        let delivery = service.answer(request, connection.stop)
        guard try deliver(delivery, to: request) == .keepOpen else { return }
      }
    } catch {
      switch error {
      case .problem(let problem): refuse(problem)
      // The peer is gone or the server stops: there is nobody left to tell.
      case .connection: break
      }
    }
  }

  private enum Next {
    case keepOpen, close
  }

  private func deliver(
    _ delivery: Delivery, to request: HTTPRequest
  ) throws(RequestFailure) -> Next {
    switch delivery {
    case .hangUp:
      return .close
    case .truncated(let response):
      let bytes = serialized(response, to: request, closes: false)
      let half = (response.body?.count ?? bytes.count) / 2
      try send(Array(bytes.dropLast(max(1, half))))
      return .close
    case .answer(let response):
      let closes = !request.head.keepsAlive
      try send(serialized(response, to: request, closes: closes))
      guard closes else { return .keepOpen }
      connection.closeGently()
      return .close
    }
  }

  private func refuse(_ problem: HTTPProblem) {
    let response = service.explain(problem)
    let bytes = response.serialized(isForHead: false, closes: true, now: service.now())
    guard (try? connection.send(bytes)) != nil else { return }
    connection.closeGently()
  }

  private func serialized(
    _ response: HTTPResponse, to request: HTTPRequest, closes: Bool
  ) -> [UInt8] {
    response.serialized(
      isForHead: request.method == "HEAD", closes: closes, now: service.now())
  }

  private func send(_ bytes: [UInt8]) throws(RequestFailure) {
    do {
      try connection.send(bytes)
    } catch {
      throw .connection(error)
    }
  }
}
