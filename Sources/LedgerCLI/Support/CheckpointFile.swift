import LedgerLog
import LedgerPlatform

/// A checkpoint in `FILE` and its signature in `FILE.sig`.
struct CheckpointFile {
  let path: String
  let bytes: [UInt8]

  /// What became of the signature.
  enum Signature: Equatable {
    /// Without `--allowed-signers`.
    case notChecked
    /// What `ssh-keygen` says of it: identity and key.
    case good(String)
  }

  /// - Parameter path: `-` for standard input.
  init(reading path: String, _ console: Console) throws {
    self.path = path
    if path == "-" {
      var bytes: [UInt8] = []
      while bytes.count <= Self.mostBytes {
        let part = try console.input.read()
        if part.isEmpty { break }
        bytes += part
      }
      self.bytes = bytes
    } else {
      do throws(IOFailure) {
        guard let bytes = try AtomicFile.read(path) else {
          throw IOFailure("read", path, errorNumber: ENOENT)
        }
        self.bytes = bytes
      } catch {
        throw LogError.io(error)
      }
    }
    guard bytes.count <= Self.mostBytes else {
      throw CommandFailure(.usage, "\(path) is no checkpoint: it is longer than 16 MB")
    }
  }

  private static let mostBytes = 16 << 20

  var signaturePath: String { path + ".sig" }

  func checkpoint() throws -> Checkpoint {
    do throws(Checkpoint.Fault) {
      return try Checkpoint(bytes)
    } catch {
      throw CommandFailure(
        .usage, "\(path) is no checkpoint: line \(error.line) should be \(error.expected)")
    }
  }

  /// Checks the signature with the system's `ssh-keygen`.
  ///
  /// - Throws: a failure with exit code 3 for a signature that is missing or not right.
  func verifySignature(allowedSigners: String, identity: String) throws -> Signature {
    guard access(signaturePath, R_OK) == 0 else {
      throw CommandFailure(
        .damaged, "the checkpoint \(path) is not signed: \(signaturePath) cannot be read")
    }
    guard access(allowedSigners, R_OK) == 0 else {
      throw LogError.io(IOFailure("read", allowedSigners))
    }
    let run = try ToolRun(
      "ssh-keygen",
      [
        "-Y", "verify", "-f", allowedSigners, "-I", identity, "-n", Checkpoint.namespace,
        "-s", signaturePath,
      ], input: bytes, why: "checking a signature")
    guard run.exitCode == 0 else {
      throw CommandFailure(
        .damaged,
        "the signature of \(path) is not \(identity)'s: \(Self.reason(run, "it does not fit"))")
    }
    return .good(String(decoding: run.output, as: UTF8.self).trimmingLastNewline)
  }

  /// The signature of bytes in the SSH format, made by the system's `ssh-keygen`, which may ask for
  /// the key's passphrase on the terminal.
  static func signature(of bytes: [UInt8], key: String) throws -> [UInt8] {
    guard access(key, R_OK) == 0 else { throw LogError.io(IOFailure("read", key)) }
    let run = try ToolRun(
      "ssh-keygen", ["-Y", "sign", "-f", key, "-n", Checkpoint.namespace], input: bytes,
      why: "signing")
    guard run.exitCode == 0, !run.output.isEmpty else {
      throw CommandFailure(
        .failed, "ssh-keygen did not sign with \(key): \(reason(run, "it does not say why"))",
        hint: "nothing was written")
    }
    return run.output
  }

  private static func reason(_ run: ToolRun, _ otherwise: String) -> String {
    run.error.split { $0.isNewline }.last.map(String.init) ?? otherwise
  }
}

extension String {
  fileprivate var trimmingLastNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
