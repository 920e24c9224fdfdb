import LedgerLog
import LedgerModel

/// A log built from a script, so that a fuzzer need not guess hashes to get past the chain.
///
/// A script consists of lines. The first byte of each gives the meaning of the rest:
///
/// | byte | the rest is |
/// |---|---|
/// | `=` | a stored line, verbatim |
/// | `~` | bytes without a final `\n` |
/// | `>` | a line without its hash, which is appended |
/// | another | the `data` of an event whose type and actor the byte chooses |
struct WrittenLog {
  private(set) var bytes: [UInt8] = []
  /// For each line, where it ends and its hash.
  private(set) var ends: [(seq: Int, offsetBytes: Int, hash: String)] = []
  private var hash = String(repeating: "0", count: 64)

  init(script: ArraySlice<UInt8>) {
    for line in script.split(separator: 0x0A, omittingEmptySubsequences: true) {
      let rest = Array(line.dropFirst())
      switch line[line.startIndex] {
      case UInt8(ascii: "="): end(rest, hash: Self.storedHash(rest))
      case UInt8(ascii: "~"): bytes += rest
      case UInt8(ascii: ">"): seal(rest)
      case let byte: seal(front(byte) + rest)
      }
    }
  }

  /// The part that is whole lines.
  var wholeLines: [UInt8] {
    bytes.lastIndex(of: 0x0A).map { Array(bytes[...$0]) } ?? []
  }

  private static func event(_ byte: UInt8) -> (kind: EventKind, actor: Event.Actor) {
    let kinds = EventKind.allCases
    let kind = kinds[Int(byte &- UInt8(ascii: "A")) % kinds.count]
    let actors = Event.Actor.allCases
    return (kind, kind == .ledgerCreated ? .system : actors[Int(byte / 26) % actors.count])
  }

  /// The line of a script for an event of this type and actor.
  static func line(_ kind: EventKind, by actor: Event.Actor = .user, _ data: String) -> [UInt8] {
    let byte = (UInt8.min...UInt8.max).first { byte in
      !"\n=~>".utf8.contains(byte) && event(byte) == (kind, actor)
    }
    guard let byte else { finding("no byte chooses \(kind) by \(actor)") }
    return [byte] + Array(data.utf8) + [0x0A]
  }

  private func front(_ byte: UInt8) -> [UInt8] {
    let (kind, actor) = Self.event(byte)
    let seq = ends.count + 1
    let second = String(100 + seq % 60).dropFirst()
    let id = String(1_000_000_000_000 + seq).dropFirst()
    return Array(
      (#"{"id":"0195512f-5c00-7123-8abc-\#(id)","seq":\#(seq),"#
        + #""at":"2026-03-01T08:00:\#(second).000Z","by":"\#(actor.rawValue)","#
        + #""type":"\#(kind.rawValue)","v":1,"salt":"00000000000000aa","data":"#).utf8)
  }

  /// Appends the hash to a line that has a body.
  private mutating func seal(_ line: [UInt8]) {
    guard let bodyStart = Self.bodyStart(line) else { return end(line, hash: nil) }
    let body = Self.digest(ofBody: Array(line[bodyStart...]))
    let link = Digest.hex(of: Array(hash.utf8) + line[..<bodyStart] + body)
    end(line + Array(#","hash":"\#(link)"}"#.utf8), hash: link)
  }

  private mutating func end(_ line: [UInt8], hash: String?) {
    bytes += line + [0x0A]
    if let hash { self.hash = hash }
    ends.append((ends.count + 1, bytes.count, self.hash))
  }

  /// Where `"salt":` or `"erased":` starts.
  private static func bodyStart(_ line: [UInt8]) -> Int? {
    let names = [Array(#""salt":"#.utf8), Array(#""erased":"#.utf8)]
    return line.indices.first { index in names.contains { line[index...].starts(with: $0) } }
  }

  /// An erased event keeps the digest of what its body was.
  private static func digest(ofBody body: [UInt8]) -> [UInt8] {
    let erased = Array(#""erased":""#.utf8)
    guard body.starts(with: erased) else { return Array(Digest.hex(of: body).utf8) }
    return Array(body.dropFirst(erased.count).prefix(64))
  }

  private static func storedHash(_ line: [UInt8]) -> String? {
    guard line.count > 66 else { return nil }
    let digits = line[(line.count - 66)..<(line.count - 2)]
    return ChainHash(digits).map(\.description)
  }
}
