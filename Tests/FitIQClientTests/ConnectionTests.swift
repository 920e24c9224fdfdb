import Foundation
import LedgerModel
import LedgerPlatform
import LedgerSync
import LedgerTestSupport
import Testing

@testable import FitIQClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if os(Linux)
  private let isOnLibcurl = true
#else
  private let isOnLibcurl = false
#endif

@Suite(.serialized, .blocks) struct ConnectionTests {
  /// libcurl repeats a request whose reused connection died; on Apple's systems URLSession repeats only
  /// idempotent ones.
  @Test(
    "Every mutating call has its own connection", .enabled(if: isOnLibcurl))
  func everyChangeHasAConnectionOfItsOwn() async throws {
    let server = try RawServer { peer in
      while peer.request() != nil { peer.send(httpAnswer("200 OK", "{}")) }
    }
    defer { server.stop() }
    let address = try BackendAddress(server.url)
    let pass = RequestCredentials(apiKey: Secret("the-api-key"))
    var (forChanges, forReading) = (0, 0)
    var start: ContinuousClock.Instant
    // The system closes an idle connection after two minutes: calls that far apart prove nothing.
    repeat {
      start = .now
      let transport = HTTPTransport.patient
      let before = server.connections
      for _ in 1...3 { _ = await transport.send(posting, to: address, with: pass) }
      forChanges = server.connections - before
      for _ in 1...3 { _ = await transport.send(listing, to: address, with: pass) }
      forReading = server.connections - before - forChanges
    } while ContinuousClock.now - start > .seconds(60)
    #expect(forChanges == 3)
    #expect(forReading == 1)
  }

  /// A server may hang up between two calls at any time.
  @Test("A GET survives the death of its reused connection")
  func readingSurvivesConnectionsThatDie() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("200 OK", "{}"))
    }
    defer { server.stop() }
    let transport = HTTPTransport.patient
    let address = try BackendAddress(server.url)
    for _ in 1...20 {
      let answer = await transport.send(
        listing, to: address, with: RequestCredentials(apiKey: Secret("the-api-key")))
      #expect(answer.response?.status == 200)
    }
  }

  @Test(
    "A call that changes something is sent once, though connections die",
    arguments: isOnLibcurl ? [WireRequest.Method.post, .put, .patch, .delete] : [.post, .patch])
  func changesAreSentOnce(method: WireRequest.Method) async throws {
    let server = try RawServer { peer in
      while let request = peer.request(), request.hasPrefix("GET ") {
        peer.send(httpAnswer("200 OK", "{}"))
      }
    }
    defer { server.stop() }
    let transport = HTTPTransport.patient
    let address = try BackendAddress(server.url)
    let pass = RequestCredentials(apiKey: Secret("the-api-key"))
    let change = WireRequest(method, "/x", body: method == .delete ? nil : Array("{}".utf8))
    for count in 1...5 {
      // Leaves a connection for the next call to reuse.
      #expect(await transport.send(listing, to: address, with: pass).response != nil)
      #expect(await transport.send(change, to: address, with: pass).isLost)
      #expect(server.requests.count { $0.hasPrefix("\(method.rawValue) ") } == count)
    }
  }

  #if os(Linux)
    /// The process's own processor time, and nothing else runs in it: a watched socket that is
    /// always ready would take nearly all of the wait.
    @Test("Waiting for an answer takes no processor time, whatever the method")
    func waiting() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate()
        let server = try Self.slowServer(gate)
        let methods: [WireRequest.Method] = [.get, .post, .put, .patch, .delete]
        let calls = methods.map { method in
          let body = method == .get ? nil : Array("{}".utf8)
          return Task { try await transmit(WireRequest(method, "/x", body: body), to: server.url) }
        }
        try await until { server.requests.count == methods.count }
        let waitSeconds = 0.5
        let before = Self.processorSeconds()
        try await Task.sleep(for: .seconds(waitSeconds))
        let spent = Self.processorSeconds() - before
        precondition(spent < waitSeconds / 5, "\(spent) s of processor time")
        gate.open()
        for call in calls {
          let answer = try await call.value
          precondition(answer.response?.status == 200, "\(answer)")
        }
      }
    }

    /// The reason for libcurl on Linux: URLSession there keeps watching a connected socket for being
    /// writable. Once this fails, URLSession may do.
    @Test("A POST that waits in URLSession occupies a processor")
    func waitingInURLSession() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate()
        let server = try Self.slowServer(gate)
        var request = URLRequest(url: try #require(URL(string: server.url)))
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        let task = URLSession(configuration: .ephemeral).dataTask(with: request)
        task.resume()
        try await until { server.requests.count == 1 }
        let waitSeconds = 1.0
        let before = Self.processorSeconds()
        try await Task.sleep(for: .seconds(waitSeconds))
        let spent = Self.processorSeconds() - before
        // Other programs take their share.
        precondition(spent > waitSeconds / 10, "\(spent) s of processor time")
        gate.open()
      }
    }

    /// Answers once the gate is open.
    private static func slowServer(_ gate: Gate) throws -> RawServer {
      try RawServer { peer in
        peer.request()
        gate.pass()
        peer.send(httpAnswer("200 OK", "{}"))
      }
    }

    private static func processorSeconds() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("Two hundred calls leave no descriptor open")
    func twoHundredCallsLeaveNothingOpen() async throws {
      let server = try RawServer { peer in
        while peer.request() != nil { peer.send(httpAnswer("200 OK", "{}")) }
      }
      defer { server.stop() }
      let transport = HTTPTransport.patient
      let address = try BackendAddress(server.url)
      let pass = RequestCredentials(apiKey: Secret("the-api-key"))
      var before = Int.max
      for count in 0...220 {
        // The first calls open descriptors that the system keeps. The minimum of several counts
        // excludes most of what concurrent tests hold.
        if (10...20).contains(count) { before = min(before, try openDescriptors()) }
        let request = count % 2 == 0 ? posting : listing
        #expect(await transport.send(request, to: address, with: pass).response != nil)
      }
      // Descriptors being closed and those of other tests disappear, a leak stays. Only one as large
      // as the number of calls is certain.
      var looks = 0
      while try openDescriptors() > before + 50, looks < 20_000 {
        try await Task.sleep(for: .milliseconds(20))
        looks += 1
      }
      #expect(looks < 20_000)
    }

    private func openDescriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
  #endif

  @Test("A trace holds no secret")
  func aTraceHoldsNoSecret() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(httpAnswer("200 OK", "{}"))
    }
    defer { server.stop() }
    let seen = Collector<WireTrace>()
    let transport = TracedTransport(HTTPTransport.patient) { seen.add($0) }
    _ = await transport.send(
      listing, to: try BackendAddress(server.url),
      with: RequestCredentials(
        apiKey: Secret("the-api-key"), accessToken: Secret("the-access-token")))
    let trace = try #require(seen.all.first)
    #expect(trace.method == "GET" && trace.status == 200)
    #expect(trace.target == "/api/v1/progress?from=1900-01-01&to=2100-12-31")
    #expect(!String(reflecting: trace).contains("the-"))
  }

  @Test("A trace masks secrets in the backend's answer")
  func aTraceMasksWhatTheBackendSays() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(
        httpAnswer(
          "200 OK",
          #"{"data":{"access_token":"new-access","refresh_token":"new-refresh","note":"the-api-key"}}"#
        ))
    }
    defer { server.stop() }
    let seen = Collector<WireTrace>()
    let transport = TracedTransport(HTTPTransport.patient) { seen.add($0) }
    let request = WireRequest(
      .post, "/api/v1/auth/login", body: Array(#"{"email":"a@b","password":"hunter22"}"#.utf8),
      needsSession: false)
    _ = await transport.send(
      request, to: try BackendAddress(server.url),
      with: RequestCredentials(apiKey: Secret("the-api-key")))
    let trace = try #require(seen.all.first)
    #expect(trace.body == #"{"email":"a@b","password":"***"}"#)
    #expect(
      trace.outcome
        == .answered(
          status: 200,
          body: #"{"data":{"access_token":"***","refresh_token":"***","note":"***"}}"#))
  }

  @Test("A secret where a long answer is cut is masked in a trace")
  func cutSecret() async throws {
    let server = try RawServer { peer in
      peer.request()
      peer.send(
        httpAnswer("200 OK", String(repeating: "x", count: 4_090) + "the-api-key and the rest"))
    }
    defer { server.stop() }
    let seen = Collector<WireTrace>()
    let transport = TracedTransport(HTTPTransport.patient) { seen.add($0) }
    _ = await transport.send(
      WireRequest(.get, "/health", needsSession: false), to: try BackendAddress(server.url),
      with: RequestCredentials(apiKey: Secret("the-api-key")))
    let trace = try #require(seen.all.first)
    #expect(!"\(trace.outcome)".contains("the-"))
  }
}
