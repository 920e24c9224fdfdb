/// A host in lower case: a name, an IPv4 address, or an IPv6 address in brackets.
struct BackendHost: Hashable, Sendable {
  let text: String
  /// Whether it can only be this machine: what is sent there never touches a wire.
  let isThisMachine: Bool

  init?(_ text: String) {
    self.text = text
    if text.hasPrefix("[") {
      guard text.hasSuffix("]"), text.utf8.count >= 4,
        text.dropFirst().dropLast().utf8.allSatisfy(Self.isIPv6)
      else { return nil }
      isThisMachine = text == "[::1]"
      return
    }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else {
      return nil
    }
    // What ends in a number is an address. Resolvers read 127.1 and 0x7f.1 as one too, so only the
    // four plain numbers are let through.
    guard let first = last.utf8.first, (0x30...0x39).contains(first) else {
      isThisMachine = text == "localhost"
      return
    }
    let numbers = labels.compactMap { Self.number($0) }
    guard labels.count == 4, numbers.count == 4 else { return nil }
    isThisMachine = numbers[0] == 127
  }

  private static func number(_ label: Substring) -> UInt8? {
    guard label == "0" || !label.hasPrefix("0") else { return nil }
    return UInt8(label)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }
  }

  private static func isIPv6(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: ".")
  }
}
