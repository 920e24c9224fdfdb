import Foundation
import LedgerKit

/// A weight in the user's unit, `165 lb`; `nil` for an entry of another metric.
func weightText(_ entry: EntryView, for person: ProfileView) -> String? {
  let unit: UnitMass = person.unitSystem == .imperial ? .pounds : .kilograms
  guard let weight = entry.measurement(of: .weight)?.converted(to: unit) else { return nil }
  let number = weight.value.formatted(.number.precision(.fractionLength(0...1)))
  return "\(number) \(unit.symbol)"
}
