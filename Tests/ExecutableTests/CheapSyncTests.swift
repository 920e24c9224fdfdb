import Foundation
import LedgerJSON
import LedgerTestSupport
import Synchronization
import Testing

/// Runs over a long history with nothing new.
@Suite(.blocks) struct CheapSyncTests {
  /// A backend with one row an hour and one sleep session a day up to now, which counts the requests
  /// it answers.
  private final class HourlyBackend: Sendable {
    let rows: Int
    private let sessions: Int
    private let newest: Int
    private let requests = Mutex<[String]>([])

    init(rows: Int, sessions: Int = 0) {
      self.rows = rows
      self.sessions = sessions
      newest = Int(Date().timeIntervalSince1970) / 3600 - 1
    }

    var count: Int { requests.withLock { $0.count } }
    func listed() -> [String] { requests.withLock { $0 } }

    func answer(_ request: String) -> (status: Int, body: String) {
      let words = request.prefix { $0 != "\r" }.split(separator: " ")
      let target = words.count > 1 ? String(words[1]) : ""
      requests.withLock { $0.append("\(words.first ?? "") \(target)") }
      switch target.prefix(while: { $0 != "?" }) {
      case "/api/v1/auth/login": return (200, #"{"access_token":"a","refresh_token":"r"}"#)
      case "/api/v1/users/me":
        return (
          200,
          #"{"data":{"id":"p","user_id":"u","name":"Ada","preferred_unit_system":"metric"}}"#
        )
      case "/api/v1/progress": return (200, page(URLComponents(string: target)?.queryItems ?? []))
      case "/api/v1/sleep" where sessions > 0:
        return (200, sleepPage(URLComponents(string: target)?.queryItems ?? []))
      default: return (404, #"{"error":{"message":"not found"}}"#)
      }
    }

    /// Newest first: place 0 is the newest hour, or the night before it.
    private func page(_ query: [URLQueryItem]) -> String {
      let (places, total, rest) = places(query, of: rows, hoursApart: 1)
      let entries = places.map { place in
        let hour = newest - place
        let date = Date(timeIntervalSince1970: Double(hour) * 3600 + 60).ISO8601Format()
        return
          #"{"id":"row-\#(hour)","type":"steps","quantity":\#(hour % 9_000),"date":"\#(date)"}"#
      }
      return
        #"{"data":{"entries":[\#(entries.joined(separator: ","))],"total":\#(total),\#(rest)}}"#
    }

    private func sleepPage(_ query: [URLQueryItem]) -> String {
      let (places, total, rest) = places(query, of: sessions, hoursApart: 24)
      let nights = places.map { place in
        let (start, end) = (newest - 24 * place - 8, newest - 24 * place)
        func text(_ hour: Int) -> String {
          Date(timeIntervalSince1970: Double(hour) * 3600).ISO8601Format()
        }
        return
          #"{"id":"night-\#(place)","start_time":"\#(text(start))","end_time":"\#(text(end))","#
          + #""time_in_bed_minutes":480,"total_sleep_minutes":480,"sleep_efficiency_percentage":100,"#
          + #""awake_minutes":0,"rem_minutes":0,"core_minutes":0,"deep_minutes":0}"#
      }
      return
        #"{"data":{"sessions":[\#(nights.joined(separator: ","))],"total":\#(total),\#(rest)}}"#
    }

    private func places(
      _ query: [URLQueryItem], of count: Int, hoursApart: Int
    ) -> (places: Range<Int>, total: Int, rest: String) {
      func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
      let limit = value("limit").flatMap { Int($0) } ?? 20
      let offset = value("offset").flatMap { Int($0) } ?? 0
      let from = value("from").flatMap { Self.day($0) } ?? 0
      let total = min(count, max(0, (newest - from * 24) / hoursApart + 1))
      let places = offset..<max(offset, min(offset + limit, total))
      return (places, total, #""limit":\#(limit),"offset":\#(offset)"#)
    }

    /// Days since 1970; `nil` for no date.
    private static func day(_ text: String) -> Int? {
      let style = Date.ISO8601FormatStyle().year().month().day()
      return (try? style.parse(text)).map {
        Int(($0.timeIntervalSince1970 / 86_400).rounded(.down))
      }
    }
  }

  private func signedIn(_ server: EchoServer) throws -> TestLedger {
    let ledger = try TestLedger()
    let signedIn = try Executable.ledger.run(
      ["login", "--base-url", server.url, "--email", "ada@example.com"],
      environment: ["LEDGER_PASSWORD": "secret", "LEDGER_API_KEY": "key"], in: ledger.folder.path)
    try #require(signedIn.code == 0, "\(signedIn.error)")
    return ledger
  }

  @Test("With few rows, many sleep sessions and nothing new, a run makes at most 8 requests")
  func manySessions() throws {
    let backend = HourlyBackend(rows: 100, sessions: TestSize.of(900, full: 1_500))
    let server = try EchoServer { backend.answer($0) }
    defer { server.stop() }
    let ledger = try signedIn(server)
    let first = try ledger.sync()
    #expect(
      first.code == 0 && first.count("pulled") == 102 + TestSize.of(900, full: 1_500),
      "\(first.error)")
    let before = backend.count
    let run = try ledger.sync()
    #expect(run.code == 0 && run.answer["pull"] == "recent", "\(run.error)")
    #expect(backend.count - before <= 8, "\(backend.listed().dropFirst(before))")
  }

  @Test("With many rows and nothing new, a run makes at most 8 requests")
  func nothingNew() throws {
    let rows = TestSize.of(900, full: 20_000)
    let backend = HourlyBackend(rows: rows)
    let server = try EchoServer { backend.answer($0) }
    defer { server.stop() }
    let ledger = try signedIn(server)
    let first = try ledger.sync()
    #expect(first.code == 0 && first.answer["pull"] == "full", "\(first.error)")
    #expect(first.count("pulled") == rows + 2)
    for _ in 1...2 {
      let before = backend.count
      let run = try ledger.sync()
      #expect(run.code == 0 && run.answer["pull"] == "recent", "\(run.error)")
      #expect(run.count("pulled") == 0 && run.count("sent") == 0)
      #expect(backend.count - before <= 8, "\(backend.listed().dropFirst(before))")
    }
    let text = try ledger.run("sync")
    #expect(text.output == "✓ nothing to send\n", "\(text.output)")
    let full = try ledger.sync("--full")
    #expect(full.code == 0 && full.answer["pull"] == "full")
    #expect(try ledger.must("sync", "--full").contains("the backend has everything"))
    try ledger.expectSameAtBackend(checked: rows + 3)
  }
}
