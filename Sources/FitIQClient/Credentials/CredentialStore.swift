/// Where credentials are kept between runs: a real edge, a file on one system and the key chain on
/// another.
public protocol CredentialStore: Sendable {
  /// - Returns: `nil` before the first sign-in.
  func load() throws(ClientError) -> Credentials?
  /// As ``load()``, called while the lock of ``lockPath`` is held, to decide about a new token pair:
  /// a store that remembers what it has read must read again. The default calls ``load()``.
  func loadLocked() throws(ClientError) -> Credentials?
  /// Returns only once they survive a crash. Credentials without a key and tokens are those of a
  /// person who signed out: then no secret is left.
  func save(_ credentials: Credentials) throws(ClientError)
  /// Removes all of them, the address and the account included.
  func remove() throws(ClientError)
  /// The file whose lock everybody holds who replaces a token pair, in whichever process.
  var lockPath: String { get }
}

extension CredentialStore {
  public func loadLocked() throws(ClientError) -> Credentials? { try load() }

  /// Changes what is stored, with nobody else changing it meanwhile.
  func update(
    _ change: (Credentials?) -> Credentials?
  ) async throws(ClientError) {
    let lock = try await AuthLock.take(lockPath)
    defer { lock.release() }
    // What cannot be read is replaced: signing in is the way out of that.
    let old: Credentials?
    do throws(ClientError) {
      old = try loadLocked()
    } catch {
      guard case .badCredentials = error else { throw error }
      old = nil
    }
    if let new = change(old) { try save(new) }
  }
}
