import Foundation
import LedgerJSON
import LedgerTestSupport
import Synchronization
import Testing

/// Runs over a long history with nothing new.
@Suite(.blocks) struct CheapSyncTests {
  /// A backend with one row an hour up to now, which counts the requests it answers.
  private final class HourlyBackend: Sendable {
    let rows: Int
    private let newest: Int
    private let requests = Mutex<[String]>([])

    init(rows: Int) {
      self.rows = rows
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
      default: return (404, #"{"error":{"message":"not found"}}"#)
      }
    }

    private func page(_ query: [URLQueryItem]) -> String {
      func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
      let limit = value("limit").flatMap { Int($0) } ?? 20
      let offset = value("offset").flatMap { Int($0) } ?? 0
      let from = value("from").flatMap { Self.day($0) } ?? 0
      // Newest first: row 0 is the newest hour.
      let total = min(rows, max(0, newest - from * 24 + 1))
      let entries = (offset..<max(offset, min(offset + limit, total))).map { place in
        let hour = newest - place
        let date = Date(timeIntervalSince1970: Double(hour) * 3600 + 60).ISO8601Format()
        return
          #"{"id":"row-\#(hour)","type":"steps","quantity":\#(hour % 9_000),"date":"\#(date)"}"#
      }
      return #"{"data":{"entries":[\#(entries.joined(separator: ","))],"total":\#(total),"#
        + #""limit":\#(limit),"offset":\#(offset)}}"#
    }

    /// Days since 1970; `nil` for no date.
    private static func day(_ text: String) -> Int? {
      let style = Date.ISO8601FormatStyle().year().month().day()
      return (try? style.parse(text)).map {
        Int(($0.timeIntervalSince1970 / 86_400).rounded(.down))
      }
    }
  }

  @Test("With thousands of rows and nothing new, a run makes at most 8 requests")
  func nothingNew() throws {
    let rows = TestSize.of(2_000, full: 20_000)
    let backend = HourlyBackend(rows: rows)
    let server = try EchoServer { backend.answer($0) }
    defer { server.stop() }
    let ledger = try TestLedger()
    let signedIn = try Executable.ledger.run(
      ["login", "--base-url", server.url, "--email", "ada@example.com"],
      environment: ["LEDGER_PASSWORD": "secret", "LEDGER_API_KEY": "key"], in: ledger.folder.path)
    try #require(signedIn.code == 0, "\(signedIn.error)")
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
