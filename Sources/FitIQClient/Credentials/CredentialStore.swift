/// Where credentials are kept between runs: a real edge, a file on one system and the key chain on
/// another.
public protocol CredentialStore: Sendable {
  /// - Returns: `nil` when nobody has signed in yet.
  func load() throws(ClientError) -> Credentials?
  /// Returns only once they survive a crash.
  func save(_ credentials: Credentials) throws(ClientError)
  /// The file whose lock everybody holds who replaces a token pair, in whichever process.
  var lockPath: String { get }
}

extension CredentialStore {
  /// Changes what is stored, with nobody else changing it meanwhile.
  func update(
    _ change: (Credentials?) -> Credentials?
  ) async throws(ClientError) {
    let lock = try await AuthLock.take(lockPath)
    defer { lock.release() }
    // What cannot be read is replaced: signing in is the way out of that.
    let old: Credentials?
    do throws(ClientError) {
      old = try load()
    } catch {
      guard case .badCredentials = error else { throw error }
      old = nil
    }
    if let new = change(old) { try save(new) }
  }
}
