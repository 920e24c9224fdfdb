package import LedgerModel

/// The behaviour of a reference backend. The defaults suit most tests and the demonstration.
package struct BackendConfiguration: Sendable {
  /// The default API key.
  package static let demoAPIKey = "fitiq-demo-key"

  /// How a progress POST gives its moment (docs/api, `POST /api/v1/progress`). Members of the other
  /// dialect are unknown members and answered 400.
  package enum MomentFormat: String, CaseIterable, Sendable {
    /// `date` and an optional `time`, read as UTC.
    case dateTime = "date-time"
    /// `logged_at`, RFC 3339.
    case loggedAt = "logged-at"
  }

  /// How `PATCH /api/v1/users/me/physical` behaves. Nulls are answered 400, and an account without a
  /// profile 404, in every mode.
  package enum Physical: String, CaseIterable, Sendable {
    /// As observed: a birth date alone is answered 400, anything else with the profile.
    case strict
    /// As documented: any of the three fields is accepted and answered with the profile.
    case published
    /// As on older servers: strict, but answered with the three fields instead of the profile.
    case threeFields = "three-fields"
  }

  /// The port on 127.0.0.1; 0 for any free one.
  package var port: UInt16 = 0
  /// The value of `X-API-Key` that every request needs.
  package var apiKey = BackendConfiguration.demoAPIKey
  /// The dialect of progress POSTs.
  package var dialect = MomentFormat.dateTime
  /// Whether the other dialect's members are ignored in a progress POST. A POST without a moment in
  /// this dialect is then stored with the current time.
  package var ignoresOtherDialect = false
  /// The mode of `PATCH /api/v1/users/me/physical`.
  package var physical = Physical.strict
  /// Whether success bodies are wrapped as `{"data":…,"success":true}`.
  package var wrapsAnswers = true
  /// How many requests an access token is valid for, refused ones included; `nil` for no limit.
  package var accessTokenUses: Int?
  /// The lifetime of an access token in seconds; `nil` for no limit.
  package var accessTokenSeconds: Int?
  /// Scripted faults. If a request triggers several, the first one happens.
  package var faults: [ScriptedFault] = []
  /// The limit, in milliseconds, for an idle connection and for receiving a request.
  package var patienceMilliseconds: Int32 = 30_000
  /// The limit of concurrent connections, each on a thread; more wait in the system's queue.
  package var connections = 128
  /// The clock for accounts, rows, tokens, and the default range of a listing.
  package var now: @Sendable () -> Timestamp = LocalZone.now
  /// 64 random bits, for ids and tokens.
  package var randomWord: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Called for every request that was answered or dropped, on the connection's thread.
  package var onRequest: (@Sendable (JournalEntry) -> Void)?

  /// The defaults.
  package init() {}
}
