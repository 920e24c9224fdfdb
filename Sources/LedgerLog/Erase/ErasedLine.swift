/// What is left of a line whose content goes: its front, the digest of its body, its link.
enum ErasedLine {
  /// Behind the front: `"erased":"<64 hex>"`, then the `"hash"` member as it was.
  ///
  /// - Returns: `nil` for a line that cannot be erased: it is already, or its type has a version for
  ///   which docs/log-format.md knows no erased form.
  static func bytes(of envelope: Envelope, in bytes: RawSpan) -> [UInt8]? {
    guard !envelope.isErased, envelope.version == 1 else { return nil }
    let body = bytes.extracting(envelope.bodyStart..<envelope.bodyEnd)
      .withUnsafeBytes { Array($0) }
    var line = bytes.extracting(envelope.start..<envelope.bodyStart).withUnsafeBytes { Array($0) }
    line += Array(#""erased":"\#(Digest.hex(of: body))""#.utf8)
    bytes.extracting(envelope.bodyEnd..<envelope.end).withUnsafeBytes {
      line.append(contentsOf: $0)
    }
    line.append(0x0A)
    return line
  }
}
