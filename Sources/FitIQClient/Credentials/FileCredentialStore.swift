public import LedgerLog
import LedgerPlatform

/// `credentials.json` beside the log, for its owner's eyes only (log-format.md, Directory).
public struct FileCredentialStore: CredentialStore {
  private let path: String
  public let lockPath: String

  /// The file in this ledger's folder.
  public init(_ directory: LedgerDirectory) {
    path = directory.credentials
    lockPath = directory.authLock
  }

  /// Far more than any token pair takes.
  private static let largestBytes = 65_536

  public func load() throws(ClientError) -> Credentials? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let failure = IOFailure("look at", path)
      if failure.isMissing { return nil }
      throw .storage(failure)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largestBytes else {
      throw .badCredentials(problem: "credentials.json cannot be read")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .badCredentials(
        problem: "credentials.json is open to other users, so its tokens may be known; "
          + "remove the file")
    }
    let bytes: [UInt8]?
    do throws(IOFailure) {
      bytes = try AtomicFile.read(path)
    } catch {
      throw .storage(error)
    }
    guard let bytes else { return nil }
    guard let credentials = Credentials(stored: bytes) else {
      throw .badCredentials(problem: "credentials.json cannot be read")
    }
    return credentials
  }

  public func save(_ credentials: Credentials) throws(ClientError) {
    do throws(IOFailure) {
      try AtomicFile.replace(path, with: credentials.stored)
    } catch {
      throw .storage(error)
    }
  }

  public func remove() throws(ClientError) {
    do throws(IOFailure) {
      try AtomicFile.remove(path)
    } catch {
      throw .storage(error)
    }
  }
}
