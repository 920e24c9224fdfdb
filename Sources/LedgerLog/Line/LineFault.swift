package import LedgerJSON

/// What is wrong with one line, and at which byte of it.
package struct LineFault: Error, Hashable {
  package var offsetBytes: Int
  package var problem: Problem

  package enum Problem: Hashable, Sendable {
    case tooShort
    case tooLong
    case member(StaticName)
    case json(JSONError.Reason)
    case seq(found: Int, expected: Int)
    case hash
    case version
    case data(String)
  }

  /// The members of a line, by their order.
  package enum StaticName: String, Hashable, Sendable {
    case id, seq, at, by, type, v, salt, data, erased, hash, order
  }

  package init(_ problem: Problem, at offsetBytes: Int) {
    self.problem = problem
    self.offsetBytes = offsetBytes
  }

  package var sentence: String {
    switch problem {
    case .tooShort: "the line is too short for an event"
    case .tooLong: "the line is longer than \(LogFormat.longestLineBytes) bytes"
    case .member(.id): "'id' is not a version 7 UUID in lower case"
    case .member(.seq): "'seq' is not a whole number"
    case .member(.at): "'at' is not an instant, YYYY-MM-DDTHH:MM:SS.mmmZ"
    case .member(.by): "'by' is not user, import, sync or system"
    case .member(.type): "'type' is not made of a-z, _ and ."
    case .member(.v): "'v' is not a whole number"
    case .member(.salt): "'salt' is not 16 hexadecimal digits"
    case .member(.data): "'data' is not an object"
    case .member(.erased): "'erased' is not 64 hexadecimal digits"
    case .member(.hash): "'hash' is not 64 hexadecimal digits at the line's end"
    case .member(.order): "the members do not stand in the log's order"
    case .json(let reason): reason.sentence
    case .seq(let found, let expected): "seq is \(found) where \(expected) belongs"
    case .hash: "the hash does not follow from the line before and this line's bytes"
    case .version: "an erased event has version 1"
    case .data(let sentence): sentence
    }
  }
}
