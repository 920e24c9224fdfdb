import LedgerModel
import Testing

@testable import FitIQClient

@Suite(.blocks) struct RetryAfterTests {
  private let now = Timestamp(rfc3339: "1994-11-06T08:49:37.500Z")!

  @Test(
    "Retry-After is read in seconds or as a date, up to an hour; other text is ignored",
    arguments: [
      ("0", 0), ("5", 5), (" 120 ", 120), ("3600", 3600), ("3601", 3600),
      ("99999999999999999999999", 3600), ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil),
      ("+5", nil), ("٣", nil),
      ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:30 GMT", 0),
      ("Mon, 07 Nov 1994 08:49:37 GMT", 3600), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 08:50:37 CET", nil), ("Sun, 06 Nov 1994 25:50:37 GMT", nil),
      ("Sunday, 06-Nov-94 08:50:37 GMT", nil), ("Sun, 6 Nov 1994 08:50:37 GMT", nil),
    ] as [(String, Int?)])
  func seconds(text: String, expected: Int?) {
    #expect(RetryAfter.seconds(text, date: nil, now: now) == expected)
  }

  @Test("A date is measured by the backend's own clock")
  func theBackendsOwnClockMeasuresAMoment() {
    let seconds = RetryAfter.seconds(
      "Sun, 06 Nov 2033 10:00:30 GMT", date: "Sun, 06 Nov 2033 10:00:00 GMT", now: now)
    #expect(seconds == 30)
  }
}
