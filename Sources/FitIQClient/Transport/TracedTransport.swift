public import LedgerSync

/// A transport that tells of every exchange.
public struct TracedTransport: BackendTransport {
  private let transport: any BackendTransport
  private let trace: @Sendable (WireTrace) -> Void

  /// - Parameter trace: called after every exchange; nothing it is told is secret.
  public init(
    _ transport: any BackendTransport, trace: @escaping @Sendable (WireTrace) -> Void
  ) {
    self.transport = transport
    self.trace = trace
  }

  public func send(
    _ request: WireRequest, to address: BackendAddress, with pass: RequestCredentials
  ) async -> WireAnswer {
    let start = ContinuousClock.now
    let answer = await transport.send(request, to: address, with: pass)
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    trace(
      WireTrace(
        request, answer, pass,
        milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)))
    return answer
  }
}
