import CSHA256

/// A digest in hexadecimal, without the code under test.
package func sha256Hex(_ text: String) -> String { sha256Hex(Array(text.utf8)) }

package func sha256Hex(_ bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: 32)
  csha256_digest(bytes, bytes.count, &digest)
  return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

package let hashBeforeFirst = String(repeating: "0", count: 64)

/// One line of docs/log-format.md, member by member, composed without the code under test.
package struct PlainLine: Sendable {
  package var id: String
  package var seq: String
  package var at: String
  package var by: String
  package var type: String
  package var version: String
  package var salt: String
  package var data: String

  package init(
    id: String = "0195512f-5c00-7123-8abc-00000000002a", seq: String = "1",
    at: String = "2026-03-01T08:00:00.000Z", by: String = "user",
    type: String = "profile.updated", version: String = "1", salt: String = "0123456789abcdef",
    data: String = #"{"name":"Ada"}"#
  ) {
    (self.id, self.seq, self.at, self.by) = (id, seq, at, by)
    (self.type, self.version, self.salt, self.data) = (type, version, salt, data)
  }

  package var front: String {
    #"{"id":"\#(id)","seq":\#(seq),"at":"\#(at)","by":"\#(by)","type":"\#(type)","v":\#(version),"#
  }
  package var body: String { #""salt":"\#(salt)","data":\#(data)"# }

  /// The line without its `\n`, and its hash.
  package func text(after previous: String = hashBeforeFirst) -> (line: String, hash: String) {
    let hash = sha256Hex(previous + front + sha256Hex(body))
    return (front + body + #","hash":"\#(hash)"}"#, hash)
  }

  /// The same event erased: seq and hash are unchanged.
  package func erased(after previous: String) -> String {
    front + #""erased":"\#(sha256Hex(body))","hash":"\#(text(after: previous).hash)"}"#
  }

  /// The content of `head` after an event.
  package static func head(seq: Int, offsetBytes: Int, hash: String) -> String {
    func padded(_ number: Int) -> String {
      String(repeating: "0", count: 20 - String(number).count) + String(number)
    }
    return "\(padded(seq)) \(padded(offsetBytes)) \(hash)\n"
  }
}
