/// One request to the backend as it leaves: nothing is added behind this but credentials.
public struct WireRequest: Hashable, Sendable {
  /// The methods that the backend knows.
  public enum Method: String, Hashable, Sendable {
    /// Asks; changes nothing.
    case get = "GET"
    /// Makes something.
    case post = "POST"
    /// Replaces something.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Takes something away.
    case delete = "DELETE"

    /// Whether the backend changes something by it.
    public var mutates: Bool { self != .get }
  }

  /// Whether it asks or changes something.
  public var method: Method
  /// From the backend's address on, such as `/api/v1/progress`; escaped (RFC 3986), as it leaves.
  public var path: String
  /// Names and values, not yet escaped, in their order.
  public var query: [QueryItem]
  /// The exact bytes of the body.
  public var body: [UInt8]?
  /// Whether it goes out as the signed-in person: all but the calls that sign in.
  public var needsSession: Bool

  /// One part of a query.
  public struct QueryItem: Hashable, Sendable {
    /// Not yet escaped.
    public var name: String
    /// Not yet escaped.
    public var value: String

    /// A name and its value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A request as the signed-in person, unless something else is said.
  public init(
    _ method: Method, _ path: String, query: [QueryItem] = [], body: [UInt8]? = nil,
    needsSession: Bool = true
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.needsSession = needsSession
  }
}
