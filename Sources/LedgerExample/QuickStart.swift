import Foundation
import LedgerKit

// The code of the articles "Quick start" and "Syncing a ledger"; a test compares them.

func openDiary(in folder: String) async throws -> Ledger {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return try await Ledger.open(at: folder + "/.ledger", device: "phone")
}

func logAWeight(in ledger: Ledger) async throws -> EntryID {
  let entry = try await ledger.log(.weight, 75.5, notes: "after the run")
  try await ledger.correct(entry.id, quantity: 75.1)
  return entry.id
}

func logPounds(_ pounds: Double, in ledger: Ledger) async throws {
  try await ledger.log(.weight, Measurement(value: pounds, unit: UnitMass.pounds))
}

func newestWeights(in ledger: Ledger) async throws -> [String] {
  let page = try await ledger.progress(ProgressQuery(metric: .weight, limit: 10))
  return page.entries.map { entry in
    "\(entry.date) \(entry.quantity) \(entry.metric.unit) \(entry.status.rawValue)"
  }
}

func pageOfRuns(
  after page: ProgressPage?, in ledger: Ledger
) async throws -> ProgressPage {
  try await ledger.progress(
    ProgressQuery(
      metric: .distanceKM, text: "run", includesNotes: true, limit: 50, after: page?.next))
}

func whyRefused(_ entry: EntryView, in ledger: Ledger) async throws -> String? {
  try await ledger.outbox().first { $0.entry == entry.id && $0.state == .rejected }?.text
}

func signIn(
  to ledger: Ledger, at url: String, apiKey: String, email: String, password: String
) async throws {
  try await ledger.signIn(
    to: BackendAddress(url), apiKey: Secret(apiKey), email: email, password: password)
}

func bringUpToDate(_ ledger: Ledger) async throws -> String {
  let report = try await ledger.sync()
  switch report.stop {
  case nil: return "\(report.acknowledged) sent, \(report.pulled) received"
  case .offline: return "no connection; \(report.pending) edits wait"
  case .rateLimited(let seconds): return "the backend asks for \(seconds) seconds of patience"
  case .signedOut: return "please sign in again; nothing is lost"
  case .accountReplaced, .massDeletion, .returnedRows:
    return "the backend lost its data, or has old data; see docs/sync.md"
  case .refreshFailed, .cancelled: return "not finished; \(report.pending) edits wait"
  }
}
