package import LedgerLog
package import LedgerPlatform

/// A checkpoint in `FILE` and its SSH signature in `FILE.sig`, made and checked by the system's
/// `ssh-keygen`.
package struct CheckpointFile {
  package static let mostBytes = 16 << 20

  private let path: String
  private let bytes: [UInt8]

  /// - Parameter path: as in error messages.
  package init(path: String, bytes: [UInt8]) throws(CheckpointFileError) {
    guard bytes.count <= Self.mostBytes else { throw .tooLong(path: path) }
    (self.path, self.bytes) = (path, bytes)
  }

  package init(reading path: String) throws(CheckpointFileError) {
    let bytes: [UInt8]?
    do throws(IOFailure) {
      bytes = try AtomicFile.read(path)
    } catch {
      throw .io(error)
    }
    guard let bytes else { throw .io(IOFailure("read", path, errorNumber: ENOENT)) }
    try self.init(path: path, bytes: bytes)
  }

  package func checkpoint() throws(CheckpointFileError) -> Checkpoint {
    do throws(Checkpoint.FormatError) {
      return try Checkpoint(bytes)
    } catch {
      throw .malformed(path: path, error)
    }
  }

  /// Checks the signature in `FILE.sig`.
  ///
  /// - Parameters:
  ///   - allowedSigners: a file as in ssh-keygen(1).
  ///   - identity: the signer, as named in that file.
  /// - Returns: what `ssh-keygen` reports, identity and key.
  package func verifySignature(
    allowedSigners: String, identity: String
  ) throws(CheckpointFileError) -> String {
    let signature = path + ".sig"
    // ssh-keygen would wait for a pipe.
    guard access(signature, R_OK) == 0,
      (try? Folder.status(of: signature, followsLinks: true, on: SystemDisk.shared))?.kind == .file
    else {
      throw .unsigned(path: path, signaturePath: signature)
    }
    guard access(allowedSigners, R_OK) == 0 else { throw .io(IOFailure("read", allowedSigners)) }
    let run = try KeygenRun(
      [
        "-Y", "verify", "-f", allowedSigners, "-I", identity, "-n", Checkpoint.namespace,
        "-s", signature,
      ], input: bytes, for: .verifying)
    guard run.exitCode == 0 else {
      throw .badSignature(path: path, identity: identity, reason: run.reason)
    }
    let report = run.output.last == 0x0A ? run.output.dropLast() : run.output[...]
    return String(decoding: report, as: UTF8.self)
  }

  /// Signs bytes. `ssh-keygen` may ask for the key's passphrase on the terminal.
  package static func signature(
    of bytes: [UInt8], key: String
  ) throws(CheckpointFileError) -> [UInt8] {
    guard access(key, R_OK) == 0 else { throw .io(IOFailure("read", key)) }
    let run = try KeygenRun(
      ["-Y", "sign", "-f", key, "-n", Checkpoint.namespace], input: bytes, for: .signing)
    guard run.exitCode == 0, !run.output.isEmpty else {
      throw .notSigned(key: key, reason: run.reason)
    }
    return run.output
  }
}

package enum CheckpointFileError: Error, Hashable, Sendable {
  package enum Purpose: Sendable { case signing, verifying }

  case io(IOFailure)
  case tooLong(path: String)
  case malformed(path: String, Checkpoint.FormatError)
  case unsigned(path: String, signaturePath: String)
  /// - reason: of `ssh-keygen`, if it gave one.
  case badSignature(path: String, identity: String, reason: String?)
  case notSigned(key: String, reason: String?)
  case noTemporaryFile(IOFailure)
  case keygenNotStarted(Purpose, errorNumber: Int32)
}

/// A finished run of `ssh-keygen`. Its streams are files, so that neither side waits for the other.
private struct KeygenRun {
  static let program = "ssh-keygen"

  let exitCode: Int32
  let output: [UInt8]
  /// The last line of standard error.
  let reason: String?

  init(
    _ arguments: [String], input: [UInt8], for purpose: CheckpointFileError.Purpose
  ) throws(CheckpointFileError) {
    let files: [OpenFile]
    do throws(IOFailure) {
      files = [try .makeTemporary(), try .makeTemporary(), try .makeTemporary()]
      try files[0].write(input, at: 0)
    } catch {
      throw .noTemporaryFile(error)
    }
    do throws(SystemError) {
      exitCode = try ChildProcess(
        Self.program, arguments, input: .descriptor(files[0].descriptor),
        output: .descriptor(files[1].descriptor), error: .descriptor(files[2].descriptor)
      ).wait()
    } catch {
      throw .keygenNotStarted(purpose, errorNumber: error.number)
    }
    output = Self.content(of: files[1])
    reason = String(decoding: Self.content(of: files[2]), as: UTF8.self)
      .split { $0.isNewline }.last.map(String.init)
  }

  private static func content(of file: OpenFile) -> [UInt8] {
    guard let size = try? file.size() else { return [] }
    return (try? file.bytes(in: 0..<size)) ?? []
  }
}
