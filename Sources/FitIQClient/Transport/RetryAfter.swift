import LedgerModel

/// `Retry-After` (RFC 9110, 10.2.3): the delay a backend asks for.
enum RetryAfter {
  /// The limit for what a backend may ask.
  private static let maximumSeconds = 3600

  /// - Parameter date: the answer's `Date`, preferred over `now`, because this machine's clock may be
  ///   wrong.
  /// - Returns: seconds, at most an hour; `nil` for an invalid value.
  static func seconds(_ text: String, date: String?, now: Timestamp) -> Int? {
    let text = trimmed(text)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows is more than an hour.
      return min(Int(text) ?? maximumSeconds, maximumSeconds)
    }
    guard let moment = moment(text) else { return nil }
    let from = date.flatMap { self.moment(trimmed($0)) } ?? now
    let milliseconds = moment.millisecondsSince1970 - from.millisecondsSince1970
    // Rounded up, so that no retry is early.
    return Int(min(max((milliseconds + 999) / 1000, 0), Int64(maximumSeconds)))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that senders may generate.
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
