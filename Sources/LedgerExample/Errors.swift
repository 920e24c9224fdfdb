import Foundation
import LedgerKit

// The code of the article "Handling errors"; a test compares them.

func problem(logging quantity: Double, of metric: Metric, in ledger: Ledger) async throws -> String?
{
  do {
    try await ledger.log(metric, quantity)
    return nil
  } catch let error as EditRefusal {
    switch (error.refusal.reason, error.refusal.limit) {
    case (.outOfRange, .quantity(let range)?):
      return "Between \(range.lowest) and \(range.highest) \(metric.unit), please."
    default: return error.localizedDescription
    }
  } catch let error as LogError where error.code == "locked" {
    return "The ledger is busy. Please try again."
  }
}
