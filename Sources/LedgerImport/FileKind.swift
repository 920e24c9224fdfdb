/// What a file is by its first bytes, for an import without a named kind.
package enum FileKind: Hashable, Sendable {
  case appleHealth
  /// Of Apple's, or of something that is refused.
  case zip
  /// JSON of the old app.
  case legacy
  /// The stored events of a ledger.
  case events
  case csv

  /// - Throws: ``ImportError`` if the file cannot be read.
  package init(of source: ImportSource) throws(ImportError) {
    let stream = try ByteStream(opening: source, chunkBytes: 4096)
    var first: [UInt8] = []
    while first.count < ForeignFile.neededBytes, case let piece = try stream.next(), !piece.isEmpty
    {
      first += piece
    }
    let text = String(decoding: first, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    switch true {
    case first.starts(with: Array("PK\u{3}\u{4}".utf8)): self = .zip
    case text.hasPrefix("<"): self = .appleHealth
    case text.hasPrefix("{") && text.prefix(300).contains("\"type\":\"ledger.created\""):
      self = .events
    case text.hasPrefix("{"), text.hasPrefix("["): self = .legacy
    default: self = .csv
    }
  }
}
