import Foundation
import LedgerKit

/// A weight in the user's unit, `165 lb`.
func weightText(_ kilograms: Double, for person: ProfileView) -> String {
  let unit: UnitMass = person.unitSystem == .imperial ? .pounds : .kilograms
  let weight = Measurement(value: kilograms, unit: UnitMass.kilograms).converted(to: unit)
  let number = weight.value.formatted(.number.precision(.fractionLength(0...1)))
  return "\(number) \(unit.symbol)"
}
