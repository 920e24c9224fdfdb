import LedgerKit

// The code of the article "Observing a ledger"; a test compares them.

func followWeights(
  in ledger: Ledger, _ show: @Sendable ([EntryView]) async -> Void
) async throws {
  let weights = ledger.values { try await $0.progress(ProgressQuery(metric: .weight)) }
  for try await page in weights { await show(page.entries) }
}

func followSync(in ledger: Ledger, _ show: @Sendable (String) async -> Void) async {
  for await event in ledger.syncEvents() {
    switch event {
    case .progress(let progress): await show("\(progress.done) of \(progress.total)")
    case .conflicts(let count): await show("\(count) differences found")
    case .ended(let report): await show("\(report.pending) edits wait")
    case .failed(let error): await show("\(error)")
    case .began, .acknowledged, .rejected, .pulled, .suspicions: break
    }
  }
}

#if canImport(SwiftUI)
  import SwiftUI

  struct WeightList: View {
    @State private var weights: LedgerQueryModel<ProgressPage>

    init(of ledger: Ledger) {
      let model = LedgerQueryModel(ledger) { try await $0.progress(ProgressQuery(metric: .weight)) }
      _weights = State(initialValue: model)
    }

    var body: some View {
      List(weights.value?.entries ?? [], id: \.id) { entry in Text("\(entry.quantity) kg") }
        .task { await weights.follow() }
    }
  }
#endif
