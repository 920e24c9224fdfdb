import Foundation
import LedgerKit

// Conversions to Foundation's types.

extension Timestamp {
  init(_ date: Date) {
    self.init(millisecondsSince1970: Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }

  /// The moment of the entry, or the start of its day.
  init(_ entry: EntryView) {
    let midnight = LocalZone.current.offset(of: .midnight, on: entry.date)
    let moment = entry.moment ?? ZonedTime(time: .midnight, zone: midnight)
    self = moment.instant(on: entry.date)
  }
}

extension CalendarDate {
  /// The local day.
  init(_ date: Date) {
    self = LocalZone.current.today(at: Timestamp(date))
  }
}

extension Date {
  init(_ moment: Timestamp) {
    self.init(timeIntervalSince1970: Double(moment.millisecondsSince1970) / 1000)
  }

  init(_ entry: EntryView) { self.init(Timestamp(entry)) }
}

/// A weight in the user's unit, `165 lb`.
func weightText(_ kilograms: Double, for person: ProfileView) -> String {
  let unit: UnitMass = person.unitSystem == .imperial ? .pounds : .kilograms
  let weight = Measurement(value: kilograms, unit: UnitMass.kilograms).converted(to: unit)
  let number = weight.value.formatted(.number.precision(.fractionLength(0...1)))
  return "\(number) \(unit.symbol)"
}
