import LedgerModel

/// The moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7); nil outside the
/// years 1 to 9999.
func httpDate(_ moment: Timestamp) -> String? {
  guard let (date, time, _) = moment.utc else { return nil }
  let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  let digits = "\(date)"
  let month = months[date.components.month - 1]
  let weekday = weekdays[date.weekday - 1]
  return "\(weekday), \(digits.suffix(2)) \(month) \(digits.prefix(4)) \(time) GMT"
}
