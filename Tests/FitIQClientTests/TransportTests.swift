import Foundation
import LedgerModel
import LedgerSync
import LedgerTestSupport
import Testing

@testable import FitIQClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request through a new transport, with a key and a token.
func transmit(
  _ request: WireRequest, to url: String, token: String = "the-access-token",
  deadlineSeconds: Double = patienceSeconds
) async throws -> WireAnswer {
  await HTTPTransport(deadlineSeconds: deadlineSeconds).send(
    request, to: try BackendAddress(url),
    with: RequestCredentials(apiKey: Secret("the-api-key"), accessToken: Secret(token)))
}

let posting = WireRequest(.post, "/api/v1/progress", body: Array(#"{"type":"weight"}"#.utf8))

@Suite(.blocks) struct TransportTests {
  @Test("A request is sent unchanged")
  func aRequestLeavesAsItIs() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("201 Created", #"{"id":"1"}"#, headers: "Set-Cookie: a=b; Path=/"))
    }
    defer { server.stop() }
    let answer = try await transmit(posting, to: server.url + "/base/")
    #expect(answer == .response(.init(status: 201, body: Array(#"{"id":"1"}"#.utf8))))
    _ = try await transmit(posting, to: server.url)
    let request = try #require(server.requests.first)
    #expect(request.hasPrefix("POST /base/api/v1/progress HTTP/1.1\r\n"))
    // Linux changes the case of names, which HTTP allows.
    #expect(request.lowercased().contains("x-api-key: the-api-key\r\n"))
    #expect(request.contains("Authorization: Bearer the-access-token\r\n"))
    #expect(request.contains("Content-Type: application/json\r\n"))
    #expect(request.contains("Accept: application/json\r\n"))
    #expect(request.hasSuffix("\r\n\r\n" + #"{"type":"weight"}"#))
    #expect(server.requests.allSatisfy { !$0.lowercased().contains("\r\ncookie:") })
  }

  @Test("Path and query are sent unchanged")
  func pathAndQueryStayWhatTheyAre() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("200 OK", "{}"))
    }
    defer { server.stop() }
    let request = WireRequest(
      .get, "/api/v1/progress/a%3Fb%23c%252e%0D%0AX%3A%20y",
      query: [.init("from", "1900-01-01"), .init("type", "a&b=c d+é/\n")])
    #expect(try await transmit(request, to: server.url).response?.status == 200)
    let line = try #require(server.requests.first?.split(separator: "\r\n").first)
    #expect(
      line == "GET /api/v1/progress/a%3Fb%23c%252e%0D%0AX%3A%20y"
        + "?from=1900-01-01&type=a%26b%3Dc%20d%2B%C3%A9%2F%0A HTTP/1.1")
  }

  @Test(
    "A path that may name another resource is not sent",
    arguments: [
      "/api/v1/progress/..", "/api/v1/progress/../users/me", "/./x", "x", "", "/api/v1/..",
      "/api/v1/progress/%2E%2e", "/api/v1/progress/.%2E", "/api/v1/progress/a?b", "/a b", "/a%",
      "/a%4",
      "/a%4g", "/é", "/a\r\nX: y",
    ])
  func pathsThatLeadElsewhereAreNotSent(path: String) async throws {
    let server = try RawServer { $0.request() }
    defer { server.stop() }
    #expect(try await transmit(WireRequest(.delete, path), to: server.url).isNotSent)
    #expect(server.connections == 0)
  }

  @Test(
    "A token that fits no header is not sent",
    arguments: ["a\r\nX-Evil: 1", "a\nb", "", "a b", "é"])
  func tokensThatFitNoHeaderAreNotSent(token: String) async throws {
    let server = try RawServer { $0.request() }
    defer { server.stop() }
    #expect(try await transmit(posting, to: server.url, token: token).isNotSent)
    #expect(server.connections == 0)
  }

  @Test(
    "A redirect is the answer, because credentials would be sent along",
    arguments: [301, 302, 303, 307, 308])
  func redirectsAreNotFollowed(status: Int) async throws {
    let other = try RawServer { $0.request() }
    defer { other.stop() }
    let elsewhere = other.url
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("\(status) Moved", "", headers: "Location: \(elsewhere)/x"))
    }
    defer { server.stop() }
    for request in [posting, listing, WireRequest(.delete, "/api/v1/users/me")] {
      #expect(try await transmit(request, to: server.url).response?.status == status)
    }
    #expect(other.connections == 0)
  }

  /// Without a reply to the challenge, Linux hangs, cancels or crashes.
  @Test(
    "A demand for a password is a plain 401",
    arguments: ["Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"b\"", "Bearer", "Negotiate"])
  func aDemandForAPasswordIsAPlain401(demand: String) async throws {
    let server = try RawServer { peer in
      while peer.request() != nil {
        peer.send(httpAnswer("401 No", "{}", headers: "WWW-Authenticate: \(demand)"))
      }
    }
    defer { server.stop() }
    for request in [posting, listing] {
      let answer = try await transmit(request, to: server.url)
      #expect(answer == .response(.init(status: 401, body: Array("{}".utf8))))
    }
    #expect(server.requests.count == 2)
  }

  @Test("Retry-After is read")
  func retryAfterIsRead() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("429 Slow", "{}", headers: "Retry-After: 9999"))
    }
    defer { server.stop() }
    let answer = try await transmit(posting, to: server.url)
    #expect(answer.response?.retryAfterSeconds == 3600)
  }

  @Test("Interim answers are skipped")
  func interimAnswersAreSkipped() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
      peer.send(httpAnswer("200 OK", "{}"))
    }
    defer { server.stop() }
    #expect(try await transmit(posting, to: server.url).response?.status == 200)
  }

  @Test("An answer without a body is complete")
  func anAnswerWithoutABodyIsWhole() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    defer { server.stop() }
    let answer = try await transmit(WireRequest(.delete, "/x"), to: server.url)
    #expect(answer == .response(.init(status: 204)))
  }
}
