/// How dates or times are spelt in a file, said by a person: `MM-dd-yyyy`, `h:mm:ss a`.
///
/// The letters are those of Unicode's date patterns (UTS 35), as far as numbers go:
///
/// | letters | stand for |
/// |---|---|
/// | `yyyy` | a year, exactly 4 digits |
/// | `MM`, `dd`, `HH`, `hh`, `mm`, `ss` | exactly 2 digits |
/// | `M`, `d`, `H`, `h`, `m`, `s` | 1 or 2 digits |
/// | `H` | the hour from 0 to 23 |
/// | `h` with `a` | the hour from 1 to 12 with AM or PM, in either case |
///
/// `T` and everything that is not a letter stand for themselves. Reading is strict: the whole text
/// has to fit, and the day has to be in the calendar.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
  enum Field: Hashable, Sendable {
    case year, month, day, hour24, hour12, minute, second
  }

  enum Part: Hashable, Sendable {
    case number(Field, digits: ClosedRange<Int>)
    case halfOfDay
    case literal(UInt8)
  }

  public let pattern: String
  let parts: [Part]

  public var description: String { pattern }
  public var hasDate: Bool { fields.contains(.year) }
  public var hasTime: Bool { fields.contains(.hour24) || fields.contains(.hour12) }

  var fields: [Field] {
    parts.compactMap { part in
      switch part {
      case .number(let field, _): field
      case .halfOfDay, .literal: nil
      }
    }
  }

  /// - Throws: a sentence that says which part of the pattern cannot be, such as `yy`, whose
  ///   century would be a guess.
  public init(_ pattern: String) throws(ImportError) {
    self.pattern = pattern
    parts = try Self.parse(pattern)
    try checkCompleteness()
  }

  private func refusal(_ reason: String) -> ImportError {
    ImportError(.unfit, "the pattern '\(pattern)' \(reason)")
  }

  private func checkCompleteness() throws(ImportError) {
    let fields = fields
    let marks = parts.count { $0 == .halfOfDay }
    guard Set(fields).count == fields.count, marks < 2 else {
      throw refusal("names a part twice")
    }
    let dateFields = fields.count { [.year, .month, .day].contains($0) }
    guard dateFields == 0 || dateFields == 3 else {
      throw refusal("needs a year, a month and a day (y, M, d; months are a capital M)")
    }
    guard !(fields.contains(.hour12) && fields.contains(.hour24)) else {
      throw refusal("has two kinds of hours; use H, or h with a")
    }
    guard fields.contains(.hour12) == (marks == 1) else {
      throw refusal("needs both h and a, or H for the hour from 0 to 23")
    }
    let hasMinutes = fields.contains(.minute)
    guard hasTime || !hasMinutes, hasMinutes || !fields.contains(.second) else {
      throw refusal("has minutes without hours or seconds without minutes")
    }
    guard hasDate || hasTime else { throw refusal("names neither a date nor a time") }
    for (part, next) in zip(parts, parts.dropFirst()) {
      // `Md` could take 112 for 1 December or for 11 February.
      if case .number(_, let digits) = part, case .number = next, digits.count > 1 {
        throw refusal("runs two numbers together; give both two letters, such as MMdd")
      }
    }
  }
}
