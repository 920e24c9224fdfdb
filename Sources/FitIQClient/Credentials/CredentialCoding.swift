import LedgerJSON

/// Credentials as they are stored: one JSON object.
extension Credentials {
  var stored: [UInt8] {
    var object: JSONObject = ["origin": .string(origin), "email": .string(email)]
    object["path_prefix"] = pathPrefix.isEmpty ? nil : .string(pathPrefix)
    object["user_id"] = userID.map { .string($0) }
    object["api_key"] = apiKey.map { .string($0.text) }
    object["access_token"] = tokens.map { .string($0.access.text) }
    object["refresh_token"] = tokens.map { .string($0.refresh.text) }
    object["generation"] = JSONValue(generation)
    var bytes: [UInt8] = []
    object.write(into: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private static let names: Set<String> = [
    "origin", "path_prefix", "email", "user_id", "api_key", "access_token", "refresh_token",
    "generation",
  ]

  /// - Returns: `nil` for anything but what ``stored`` writes: half-understood credentials are
  ///   worth less than a new sign-in.
  init?(stored bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      object.members.allSatisfy({ Self.names.contains($0.name) }),
      object.members.allSatisfy({ $0.name == "generation" || $0.value.string != nil }),
      let origin = object["origin"]?.string,
      case let prefix = object["path_prefix"]?.string ?? "",
      let address = try? BackendAddress(origin + prefix), address.origin == origin,
      address.pathPrefix == prefix,
      let email = object["email"]?.string,
      let generation = object["generation"]?.integer, generation >= 0
    else { return nil }
    let secrets = ["api_key", "access_token", "refresh_token"].map {
      object[$0]?.string.map { Secret($0) }
    }
    guard secrets.allSatisfy({ $0?.fitsHeader ?? true }) else { return nil }
    let tokens: TokenPair?
    switch (secrets[1], secrets[2]) {
    case (let access?, let refresh?): tokens = TokenPair(access: access, refresh: refresh)
    case (nil, nil): tokens = nil
    case (_?, nil), (nil, _?): return nil
    }
    self.init(
      origin: origin, pathPrefix: prefix, email: email, userID: object["user_id"]?.string,
      apiKey: secrets[0],
      tokens: tokens, generation: generation)
  }
}
