import Foundation
import LedgerJSON
import Testing

@Suite struct RoundTripTests {
  @Test("A written value reads back and is written the same", arguments: [51, 52, 53] as [UInt64])
  func whatIsWrittenIsReadAndWrittenAlike(seed: UInt64) throws {
    var random = RandomValue(seed: seed)
    for _ in 0..<700 {
      let value = random.value()
      let text = value.serialized
      let parsed = try JSONValue(parsing: text, rules: .bounded)
      guard parsed == value, sameBytes(parsed.serialized, text) else {
        Issue.record("seed \(seed): \(text)")
        return
      }
    }
  }

  @Test("Foundation reads written values the same", arguments: [61, 62] as [UInt64])
  func foundationReadsTheSame(seed: UInt64) throws {
    var random = RandomValue(seed: seed)
    for _ in 0..<400 {
      let value = random.value()
      let data = Data(value.serialized.utf8)
      let theirs = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      if let difference = difference(value, theirs) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
  }

  @Test("Foundation's JSON is read the same", arguments: [71, 72] as [UInt64])
  func whatFoundationWritesIsReadTheSame(seed: UInt64) throws {
    var random = RandomValue(seed: seed)
    for _ in 0..<400 {
      let value = random.value()
      let theirs = try JSONSerialization.jsonObject(
        with: Data(value.serialized.utf8), options: .fragmentsAllowed)
      let data = try JSONSerialization.data(
        withJSONObject: theirs, options: [.fragmentsAllowed, .prettyPrinted])
      let parsed = try JSONValue(parsing: Array(data), rules: .wire)
      if let difference = difference(parsed, theirs) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
  }

  @Test("No white space is written outside strings", arguments: [81] as [UInt64])
  func noWhiteSpaceOutsideStrings(seed: UInt64) {
    var random = RandomValue(seed: seed)
    for _ in 0..<300 {
      var isInside = false
      var isEscaped = false
      for byte in random.value().serialized.utf8 {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInside.toggle()
        } else if !isInside, byte <= 0x20 {
          Issue.record("seed \(seed)")
          return
        }
      }
    }
  }

  /// The first value that differs.
  private func difference(_ ours: JSONValue, _ theirs: Any) -> String? {
    switch ours {
    case .null where theirs is NSNull: return nil
    case .bool(let value) where theirs as? Bool == value: return nil
    case .number(let value):
      // Not `doubleValue`, which can be off by one unit in the last place.
      if (theirs as? NSNumber).flatMap({ Double($0.description) }) == value { return nil }
    case .string(let value):
      if let other = theirs as? String, sameBytes(other, value) { return nil }
    case .array(let values):
      guard let others = theirs as? [Any], others.count == values.count else { break }
      return zip(values, others).lazy.compactMap { difference($0, $1) }.first
    case .object(let object):
      guard let others = theirs as? [String: Any], others.count == object.members.count else {
        break
      }
      return object.members.lazy.compactMap { member in
        guard let other = others[member.name] else { return "\(member.name) is missing" }
        return difference(member.value, other)
      }.first
    case .null, .bool: break
    }
    return "\(ours.serialized) is \(theirs)"
  }
}
