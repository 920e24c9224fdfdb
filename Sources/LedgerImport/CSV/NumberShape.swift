import LedgerModel

/// A number with its marks, and what follows it.
struct NumberShape {
  private static let point = UInt8(ascii: ".")
  private static let comma = UInt8(ascii: ",")

  /// Digits, signs and marks, without what only groups them.
  private var digits: [UInt8]
  private let suffix: String
  /// The decimal mark, if the number alone decides it.
  private(set) var decimal: NumberStyle.Mark?
  /// Whether its only mark may be decimal or group thousands, as in `1,234`.
  private(set) var isAmbiguous = false
  private(set) var onlyMark = NumberStyle.Mark.point
  /// The second number of `11st 9.5`, with what follows it; `nil` without one.
  var second: String? {
    guard let start = suffix.firstIndex(where: { $0.isASCII && $0.isNumber }),
      !suffix.contains(":"), suffix[..<start].contains(where: { $0.isLetter || $0 == "'" })
    else { return nil }
    return String(suffix[start...])
  }

  /// - Returns: `nil` for text that does not begin with a number.
  init?(_ text: String) {
    // Most cells are bare numbers.
    if text.utf8.allSatisfy({ isDigit($0) || $0 == Self.point || $0 == Self.comma }) {
      (digits, suffix) = (Array(text.utf8), "")
    } else {
      (digits, suffix) = Self.split(text.unicodeScalars)
    }
    guard digits.contains(where: isDigit) else { return nil }
    classify()
  }

  private static func split(_ text: String.UnicodeScalarView) -> ([UInt8], String) {
    var digits: [UInt8] = []
    digits.reserveCapacity(text.count)
    var end = text.startIndex
    while end < text.endIndex, belongs(text, end) {
      if text[end].isASCII, text[end] != " ", text[end] != "'" {
        digits.append(UInt8(text[end].value))
      }
      end = text.index(after: end)
    }
    return (digits, String(text[end...]))
  }

  private static func belongs(_ text: String.UnicodeScalarView, _ index: String.Index) -> Bool {
    switch text[index] {
    case "0"..."9", ".", ",": return true
    case "-", "+": return index == text.startIndex
    case " ", "'", "\u{A0}", "\u{202F}", "\u{2009}", "’":
      // A spacer groups thousands: `1 234`, but not `8 5` or the space in `70 kg`.
      let isDigit = { (scalar: Unicode.Scalar) in "0"..."9" ~= scalar }
      return text[text.index(after: index)...].prefix(while: isDigit).count == 3
        && (1...3).contains(text[..<index].reversed().prefix(while: isDigit).count)
    default: return false
    }
  }

  private mutating func classify() {
    let isMark = { (byte: UInt8) in byte == Self.point || byte == Self.comma }
    guard let first = digits.firstIndex(where: isMark), let last = digits.lastIndex(where: isMark)
    else { return }
    let mark = digits[last] == Self.comma ? NumberStyle.Mark.comma : .point
    if digits.contains(Self.point), digits.contains(Self.comma) {
      decimal = mark
      return
    }
    onlyMark = mark
    if first != last {
      decimal = mark == .comma ? .point : .comma
      return
    }
    let before = digits[..<first].drop { !isDigit($0) }
    let groups =
      digits.count - first - 1 == 3 && (1...3).contains(before.count)
      && (before.first != UInt8(ascii: "0") || before.count > 1)
    if groups, suffix.first?.lowercased() != "e" { isAmbiguous = true } else { decimal = mark }
  }

  /// What an ambiguous number is if its mark groups thousands, as 1234 of `1,234`; a thousandth of it is
  /// its other reading.
  ///
  /// - Returns: `nil` for a number with a sign or a unit, and for one that is not ambiguous.
  var thousands: Int? {
    guard isAmbiguous, suffix.isEmpty, isDigit(digits[0]) else { return nil }
    return digits.reduce(0) { isDigit($1) ? $0 * 10 + Int($1 & 15) : $0 }
  }

  /// The number with a decimal point and nothing between thousands, and what follows it.
  ///
  /// - Returns: `nil` if the marks do not fit: `1,2,3`, `0,123` or `1.23,456`.
  func text(decimal: NumberStyle.Mark) -> String? {
    let (mark, group) =
      decimal == .point ? (Self.point, Self.comma) : (Self.comma, Self.point)
    let end = digits.firstIndex(of: mark) ?? digits.endIndex
    let fraction = digits[end...].dropFirst()
    if fraction.contains(mark) || fraction.contains(group) { return nil }
    var number = Array(digits[..<end])
    if number.contains(group) {
      let groups = number.split(separator: group, omittingEmptySubsequences: false)
      guard groups[0] != [UInt8(ascii: "0")],
        Self.areThousands(groups) || group == Self.comma && Self.areLakhs(groups)
      else {
        return nil
      }
      number = Array(groups.joined())
    }
    // `00070` of a column of fixed width; the JSON of a log has no such number.
    let zeros = number.prefix { $0 == UInt8(ascii: "0") }.count
    number.removeFirst(min(zeros, max(number.count - 1, 0)))
    if end < digits.endIndex { number += [Self.point] + fraction }
    return String(decoding: number, as: UTF8.self) + suffix
  }
}

extension NumberShape {
  private static func areThousands(_ groups: [ArraySlice<UInt8>]) -> Bool {
    groups.dropFirst().allSatisfy { $0.count == 3 }
  }

  /// `1,12,345`, as India writes thousands, lakhs and crores.
  private static func areLakhs(_ groups: [ArraySlice<UInt8>]) -> Bool {
    groups.last?.count == 3 && (1...2).contains(groups[0].count)
      && groups.dropFirst().dropLast().allSatisfy { $0.count == 2 }
  }

  /// The unit behind the number of a cell.
  static func unit(of text: String, for metric: Metric) -> String? {
    // Most cells are bare numbers.
    guard let last = text.utf8.last, !isDigit(last), let shape = NumberShape(text) else {
      return nil
    }
    var unit = shape.suffix.trimmingSpaces.lowercased()
    if unit.last == "." { unit.removeLast() }
    return Quantity.unitNames(of: metric).contains(unit) ? unit : nil
  }

  /// Whether a cell is a number with a unit of the metric behind it, in any language.
  static func names(unitOf metric: Metric, _ text: String) -> Bool {
    guard let shape = NumberShape(text) else { return false }
    return UnitName(shape.suffix)?.suffix(for: metric).map { !$0.isEmpty } ?? false
  }
}
