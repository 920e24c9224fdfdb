/// Who counted: an app or a device, by the name that the export gives it.
struct AppleSource: Hashable {
  /// In the order in which they are believed where two counted at the same time.
  enum Kind: UInt8, Comparable {
    case watch, phone, other

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  var name: String
  var kind: Kind

  /// - Parameter device: the attribute of that name, which holds the model among much else.
  init(name: String, device: ArraySlice<UInt8>?) {
    self.name = name
    if let device {
      kind = Self.kind(of: device)
      if kind != .other { return }
    }
    kind = Self.kind(of: Array(name.utf8)[...])
  }

  private static func kind(of text: ArraySlice<UInt8>) -> Kind {
    if contains("Watch", text) { return .watch }
    return contains("iPhone", text) ? .phone : .other
  }

  private static func contains(_ word: String, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = word.utf8.first else { return false }
    var rest = text
    while let mark = rest.firstIndex(of: first) {
      rest = rest[mark...]
      if rest.starts(with: word.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

/// The sources of one export, each under a small number.
struct AppleSources {
  private(set) var all: [AppleSource] = []
  private var numbers: [AppleSource: UInt16] = [:]
  private var last: (name: [UInt8], device: [UInt8], number: UInt16)?

  /// More than anybody has; those beyond it count as one.
  private static let most = 4000

  mutating func number(of tag: XMLTag, name: Range<Int>?, device: Range<Int>?) -> UInt16 {
    let nameBytes = name.map { tag.bytes[$0] } ?? []
    let deviceBytes = device.map { tag.bytes[$0] } ?? []
    if let last, last.name.elementsEqual(nameBytes), last.device.elementsEqual(deviceBytes) {
      return last.number
    }
    let source = AppleSource(
      name: XMLText.decoded(nameBytes), device: device == nil ? nil : deviceBytes)
    let number = number(of: source)
    last = (Array(nameBytes), Array(deviceBytes), number)
    return number
  }

  private mutating func number(of source: AppleSource) -> UInt16 {
    if let number = numbers[source] { return number }
    guard all.count < Self.most else { return UInt16(Self.most - 1) }
    let number = UInt16(all.count)
    all.append(source)
    numbers[source] = number
    return number
  }

  /// The place of each source in the order of belief: by kind, then by name, so that every export
  /// of one phone gives the same.
  var ranks: [UInt16] {
    let order = all.indices.sorted { (all[$0].kind, all[$0].name) < (all[$1].kind, all[$1].name) }
    var ranks = [UInt16](repeating: 0, count: all.count)
    for (rank, index) in order.enumerated() { ranks[index] = UInt16(rank) }
    return ranks
  }
}
