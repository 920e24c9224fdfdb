import LedgerJSON

/// What the API decided, before it is put into words of HTTP.
enum Reply {
  /// Nil data for 204.
  case success(status: Int, data: JSONValue?)
  case failure(APIError)

  static func ok(_ data: JSONValue) -> Reply { .success(status: 200, data: data) }
  static func created(_ data: JSONValue) -> Reply { .success(status: 201, data: data) }
  static let noContent = Reply.success(status: 204, data: nil)

  var status: Int {
    switch self {
    case .success(let status, _): status
    case .failure(let error): error.status
    }
  }

  /// What a successful refresh gives out.
  var refreshToken: String? {
    guard case .success(_, .object(let object)?) = self,
      case .string(let token)? = object["refresh_token"]
    else { return nil }
    return token
  }

  /// The answer; `wraps` puts the data into `{"data":…,"success":true}`, as the backend does at
  /// most times and not at others.
  func response(wraps: Bool) -> HTTPResponse {
    switch self {
    case .success(let status, let data?):
      let body: JSONValue = wraps ? ["data": data, "success": true] : data
      return HTTPResponse(status: status, body: body.bytes)
    case .success(let status, nil):
      return HTTPResponse(status: status)
    case .failure(let error):
      let headers = error.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      return HTTPResponse(status: error.status, headers: headers, body: error.json.bytes)
    }
  }
}

extension JSONValue {
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }
}
