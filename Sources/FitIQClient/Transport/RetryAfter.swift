import LedgerModel

/// `Retry-After` (RFC 9110, 10.2.3): how long a backend asks to be left alone.
enum RetryAfter {
  /// Nobody waits longer, whatever a backend asks.
  static let mostSeconds = 3600

  /// - Parameters:
  ///   - date: The answer's own `Date`, by which a moment is measured where there is one: the
  ///     clock of this machine may be wrong.
  /// - Returns: Seconds, at most an hour; `nil` for what cannot be read.
  static func seconds(_ text: String, date: String?, now: Timestamp) -> Int? {
    let text = trimmed(text)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than a number holds are more than an hour.
      return min(Int(text) ?? mostSeconds, mostSeconds)
    }
    guard let moment = moment(text) else { return nil }
    let from = date.flatMap { self.moment(trimmed($0)) } ?? now
    let milliseconds = moment.millisecondsSince1970 - from.millisecondsSince1970
    // Rounded up: a moment early is too early.
    return Int(min(max((milliseconds + 999) / 1000, 0), Int64(mostSeconds)))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may still be written.
  private static func moment(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
      let month = months.firstIndex(of: String(parts[2])), parts[1].utf8.count == 2
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }

  private static func trimmed(_ text: String) -> String {
    let text = text.drop { $0 == " " || $0 == "\t" }
    return String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
