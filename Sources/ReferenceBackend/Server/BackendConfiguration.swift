public import LedgerModel

/// How a reference backend behaves. The defaults are what most tests and the demonstration want.
public struct BackendConfiguration: Sendable {
  /// The API key of a backend that was not given another.
  public static let demoAPIKey = "fitiq-demo-key"

  /// How the moment stands in a progress POST (docs/api, `POST /api/v1/progress`). Members of the
  /// other dialect are unknown to the backend and answered 400.
  public enum Dialect: String, CaseIterable, Sendable {
    /// `date` and an optional `time`, read as UTC.
    case dateTime = "date-time"
    /// `logged_at`, RFC 3339.
    case loggedAt = "logged-at"
  }

  /// How `PATCH /api/v1/users/me/physical` behaves. Nulls are answered 400, and an account without a
  /// profile 404, in every mode.
  public enum Physical: String, CaseIterable, Sendable {
    /// As seen in the field: a birth date alone is answered 400, all else with the profile.
    case strict
    /// As published: any of the three fields is accepted and answered with the profile.
    case published
    /// As older servers: strict, but answered with the three fields instead of the profile.
    case threeFields = "three-fields"
  }

  /// The port on 127.0.0.1; 0 takes any free one.
  public var port: UInt16 = 0
  /// What every request must carry in `X-API-Key`.
  public var apiKey = BackendConfiguration.demoAPIKey
  public var dialect = Dialect.dateTime
  /// Whether a progress POST may carry the other dialect's members. They are ignored, and a POST
  /// without the moment of this dialect is stored with the current time.
  public var ignoresOtherDialect = false
  public var physical = Physical.strict
  /// Whether success bodies come as `{"data":…,"success":true}` or bare.
  public var wrapsAnswers = true
  /// How many requests an access token is good for, refused ones included; nil for no end.
  public var accessTokenUses: Int?
  /// How long an access token is good for, in seconds; nil for no end.
  public var accessTokenSeconds: Int?
  /// What goes wrong; of several faults that a request triggers, the first one happens.
  public var faults: [Fault] = []
  /// How long, in milliseconds, a connection may stay idle and a request may take to arrive.
  public var patienceMilliseconds: Int32 = 30_000
  /// How many connections are served at once, each on a thread; more wait in the system's queue.
  public var connections = 128
  /// The clock that dates accounts and rows, ages tokens and decides what «the last 30 days» are.
  public var now: @Sendable () -> Timestamp = systemNow
  /// 64 random bits for each call; ids and tokens are made of them.
  public var randomWord: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Told of every request once it has been answered or dropped, on that connection's thread.
  public var onRequest: (@Sendable (JournalEntry) -> Void)?

  public init() {}
}
