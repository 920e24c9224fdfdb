import LedgerJSON
import Testing

/// Texts that RFC 8259 leaves open, one for each kind in the public parsing suite (nst/JSONTestSuite,
/// its `i_` files), with the behavior for network messages and for logs. The texts are our own.
@Suite struct SuiteChoicesTests {
  struct Choice: Sendable, CustomStringConvertible {
    var text: SuiteText
    /// `nil` if it is accepted.
    var wire: JSONError.Reason?
    var log: JSONError.Reason?

    init(_ text: SuiteText, wire: JSONError.Reason?, log: JSONError.Reason?) {
      self.text = text
      self.wire = wire
      self.log = log
    }

    var description: String { text.name }
  }

  /// Overflow is an error, never infinity. Underflow is zero in a network message and an error in a
  /// log, whose numbers have at most 15 digits and a magnitude of at most 1e15.
  static let numbers: [Choice] = [
    .init(.init("hugely negative exponent", "[246.135e-987]"), wire: nil, log: .badNumber),
    .init(.init("huge exponent", "[0.3e00779888]"), wire: .numberTooLarge, log: .numberTooLarge),
    .init(
      .init("negative, huge exponent", "[-2e+8888]"), wire: .numberTooLarge, log: .numberTooLarge),
    .init(
      .init("positive, huge exponent", "[2.5e+8888]"), wire: .numberTooLarge, log: .numberTooLarge),
    .init(
      .init("negative overflow", "[-246246e100000]"), wire: .numberTooLarge, log: .numberTooLarge),
    .init(
      .init("positive overflow", "[246246e100000]"), wire: .numberTooLarge, log: .numberTooLarge),
    .init(.init("underflow", "[246e-10000000]"), wire: nil, log: .badNumber),
    .init(
      .init("negative whole number too big", "[-246246246246246246246246246246]"), wire: nil,
      log: .numberTooLarge),
    .init(
      .init("positive whole number too big", "[200000000000000000000]"), wire: nil,
      log: .numberTooLarge),
    .init(
      .init("negative whole number very big", "[-474637944532841984798]"), wire: nil,
      log: .numberTooLarge),
  ]

  /// A lone surrogate cannot be written as UTF-8, and a replacement would change the text.
  static let surrogates: [Choice] = [
    SuiteText("low one as a name", #"{"\uDEBB":0}"#), SuiteText("high one alone", #"["\uDBCD"]"#),
    SuiteText("high one, then no low one", #"["\uD999\u2345"]"#),
    SuiteText("low one alone", #"["\uDEBB"]"#),
    SuiteText("high one, then a line end", #"["\uD801\n"]"#),
    SuiteText("high one in capitals and text", #"["\uDE2fb"]"#),
    SuiteText("high one twice, then a line end", #"["\uD801\uD801\n"]"#),
    SuiteText("high one, then text", #"["\ud801xyz"]"#),
    SuiteText("high one, valid escape", #"["\uD801\t"]"#),
    SuiteText("pair the wrong way round", #"["\uDE2f\uD835"]"#),
    SuiteText("low one after text", #"["x\uDC01"]"#),
    SuiteText("high one at the end", #"["x\uDBFF"]"#),
  ].map { Choice($0, wire: .loneSurrogate, log: .loneSurrogate) }

  /// Invalid UTF-8 is refused, never repaired.
  static let encodings: [Choice] = [
    SuiteText("invalid byte", bytes: text(0xFE)),
    SuiteText("broken at the end", bytes: text(0xE0, 0xFE)),
    SuiteText("Latin 1", bytes: text(0xE8)), SuiteText("lone continuation byte", bytes: text(0x82)),
    SuiteText("not in the range", bytes: text(0xF4, 0xBF, 0xBF, 0xBF)),
    SuiteText("two bytes for an ASCII one", bytes: text(0xC1, 0xAF)),
    SuiteText("six bytes", bytes: text(0xFC, 0x84, 0xBF, 0xBF, 0xBF, 0xBF)),
    SuiteText("six bytes, all zero", bytes: text(0xFC, 0x80, 0x80, 0x80, 0x80, 0x80)),
    SuiteText("a surrogate's bytes", bytes: text(0xED, 0xA1, 0x80)),
    SuiteText("cut inside", bytes: text(0xE1, 0xFF)),
  ].map { Choice($0, wire: .invalidUTF8, log: .invalidUTF8) }

  /// RFC 8259 requires UTF-8 without a byte order mark.
  static let marks: [Choice] = [
    SuiteText("UTF-8 mark", bytes: [0xEF, 0xBB, 0xBF, 0x5B, 0x5D]),
    SuiteText("UTF-16, low byte first, mark", bytes: [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]),
    SuiteText("UTF-16, high byte first", bytes: [0x00, 0x5B, 0x00, 0x5D]),
    SuiteText("UTF-16, low byte first", bytes: [0x5B, 0x00, 0x5D, 0x00]),
  ].map { Choice($0, wire: .unexpectedByte, log: .unexpectedByte) }

  /// The depth is bounded, so that hostile text cannot exhaust the stack.
  static let depths: [Choice] = [
    Choice(
      .init("500 lists", String(repeating: "[", count: 500) + String(repeating: "]", count: 500)),
      wire: .tooDeep, log: .tooDeep)
  ]

  private static func text(_ bytes: UInt8...) -> [UInt8] { [0x5B, 0x22] + bytes + [0x22, 0x5D] }

  @Test(
    "Optional behavior is as chosen", arguments: numbers + surrogates + encodings + marks + depths)
  func isAsChosen(choice: Choice) {
    #expect(refusal(of: choice.text.bytes, .wire)?.reason == choice.wire)
    for rules in [JSONRules.bounded, .edit, .log] {
      #expect(refusal(of: choice.text.bytes, rules)?.reason == choice.log)
    }
  }
}
