import Foundation
import LedgerSync
import LedgerTestSupport
import Testing

@testable import FitIQClient

/// The difference between not sent and lost. An error would send an entry twice or delay it.
@Suite(.blocks) struct LostAndUnsentTests {
  @Test("A request that never connects is not sent")
  func whatNeverConnectsIsNotSent() async throws {
    for request in [posting, listing] {
      // A port without a listener; a stopped server's port may be reused.
      #expect(try await transmit(request, to: "http://127.0.0.1:1").isNotSent)
      #expect(try await transmit(request, to: "https://no-such-host.invalid").isNotSent)
    }
  }

  @Test("A server without TLS receives no request")
  func aServerWithoutTLSGetsNothing() async throws {
    let server = try RawServer { $0.send("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n") }
    defer { server.stop() }
    let answer = try await transmit(posting, to: "https://127.0.0.1:\(server.port)")
    #expect(answer.isNotSent)
    #if !canImport(Darwin)
      guard case .notSent(let reason) = answer else { return }
      #expect(reason.contains("does not speak TLS") && reason.contains("http://"))
    #endif
  }

  @Test("A server that closes during TLS receives no request")
  func aServerThatHangsUpOnTLSGetsNothing() async throws {
    let server = try RawServer { $0.reset() }
    defer { server.stop() }
    #expect(try await transmit(posting, to: "https://localhost:\(server.port)").isNotSent)
  }

  @Test("A request cancelled before its start is not sent")
  func cancelledBeforehandIsNotSent() async throws {
    let server = try RawServer { $0.request() }
    defer { server.stop() }
    let call = Task {
      try? await Task.sleep(for: .seconds(patienceSeconds))
      return try await transmit(posting, to: server.url)
    }
    call.cancel()
    #expect(try await call.value.isNotSent)
    #expect(server.connections == 0)
  }

  enum OddAnswer: String, CaseIterable {
    case none, reset, cutOff, cutOffInChunks, badChunk, cutOffHeaders, notHTTP, badLength
    case twoLengths, onlyInterim, switching, badStatus

    var text: String {
      switch self {
      case .none, .reset: ""
      case .cutOff: "HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{\"id\":\"1\"}"
      case .cutOffInChunks: "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
      case .badChunk: "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"
      case .cutOffHeaders: "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n"
      case .notHTTP: "hello there\r\n\r\n"
      case .badLength: "HTTP/1.1 201 Created\r\nContent-Length: -2\r\n\r\n{}"
      case .twoLengths: "HTTP/1.1 201 OK\r\nContent-Length: 2\r\nContent-Length: 7\r\n\r\n{}"
      case .onlyInterim: "HTTP/1.1 100 Continue\r\n\r\n"
      case .switching: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nzzz"
      case .badStatus: "HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\n{}"
      }
    }
  }

  @Test("A request without a complete answer is lost", arguments: OddAnswer.allCases)
  func whatGetsNoWholeAnswerIsLost(odd: OddAnswer) async throws {
    let server = try RawServer { peer in
      peer.request()
      if odd == .reset { peer.reset() } else { peer.send(odd.text) }
    }
    defer { server.stop() }
    #expect(try await transmit(posting, to: server.url).isLost)
    #expect(server.requests.count == 1)
    #expect(try await transmit(posting, to: "http://localhost:\(server.port)").isLost)
    #expect(try await transmit(WireRequest(.delete, "/x"), to: server.url).isLost)
    #expect(try await transmit(listing, to: server.url).isLost)
  }

  /// The server closes after different numbers of bytes.
  @Test(
    "A request that the server read whole never counts as not sent",
    arguments: [0, 1, 100, 200, 263])
  func whatAServerHasReadIsNeverCalledUnsent(bytes: Int) async throws {
    let server = try RawServer { peer in
      peer.read(bytes)
      peer.reset()
    }
    defer { server.stop() }
    for _ in 1...5 {
      let before = server.requests.count
      let answer = try await transmit(posting, to: server.url)
      #expect(answer.isLost || answer.isNotSent)
      if answer.isNotSent { #expect(server.requests.count == before) }
    }
  }

  @Test("An answer beyond the limit is lost", arguments: [true, false])
  func anAnswerBeyondTheCapIsLost(namesItsLength: Bool) async throws {
    let server = try RawServer { peer in
      peer.request()
      let length = namesItsLength ? "Content-Length: 900000000\r\n" : ""
      peer.send("HTTP/1.1 200 OK\r\n\(length)\r\n")
      let piece = String(repeating: "x", count: 65_536)
      // Ten times the limit. An endless body would keep the system's queue busy for other tests.
      for _ in 1...160 { peer.send(piece) }
    }
    defer { server.stop() }
    #expect(try await transmit(listing, to: server.url).isLost)
  }

  @Test("A large answer within the limit is complete")
  func aLargeAnswerWithinTheCapIsWhole() async throws {
    // Below the limit, because a short piece counts for more than its bytes.
    let body = String(repeating: "x", count: 1_000_000)
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("200 OK", body))
    }
    defer { server.stop() }
    let answer = try await transmit(listing, to: server.url)
    if answer.response == nil { Issue.record("\(answer)") }
    #expect(answer.response?.body.count == 1_000_000)
  }

  /// Each byte arrives in time, the whole answer does not.
  @Test("An answer that drips is lost at the deadline", arguments: [listing, posting])
  func aDripIsLostAtTheDeadline(request: WireRequest) async throws {
    let length = 1_000_000
    let isOverdue = Collector<Bool>()
    let server = try RawServer { peer in
      peer.request()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
      var sent = 0
      while isOverdue.all.isEmpty, peer.send("x") {
        sent += 1
        usleep(50_000)
      }
      peer.send(String(repeating: "x", count: length - sent))
    }
    defer { server.stop() }
    var deadline = 0.25
    var answer: WireAnswer
    // On a busy machine the deadline may pass before the request is sent.
    repeat {
      deadline *= 2
      // It sleeps like the deadline, so it is delayed by the same load.
      let last = Task { [deadline] in
        try await Task.sleep(for: .seconds(deadline + 60))
        isOverdue.add(true)
      }
      answer = try await transmit(request, to: server.url, deadlineSeconds: deadline)
      last.cancel()
    } while server.requests.isEmpty
    // Compared outside, since a failure would print a million characters.
    let isLostInTime = answer == .lost(reason: "no complete answer within \(deadline) s")
    #expect(isLostInTime)
  }

  @Test("A cancellation ends the wait")
  func cancellingEndsTheWait() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.request()
    }
    defer { server.stop() }
    let call = Task { try await transmit(posting, to: server.url, token: "to-be-cancelled") }
    // A client of a stopped server may connect to this one at the same port.
    try await until { server.requests.contains { $0.contains("to-be-cancelled") } }
    call.cancel()
    let answer = try await call.value
    #expect(answer == .lost(reason: "it was canceled"))
  }
}
