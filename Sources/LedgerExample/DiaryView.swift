#if canImport(SwiftUI)
  import Foundation
  import LedgerKit
  import SwiftUI

  struct DiaryView: View {
    let store: DiaryStore

    var body: some View {
      List {
        if let message = store.message { Text(message).foregroundStyle(.secondary) }
        if store.needsDecision {
          Button("Send mine again") { Task { await store.sync(deciding: .resend) } }
          Button("Take theirs") { Task { await store.sync(deciding: .acceptDeletions) } }
        }
        ForEach(store.conflicts, id: \.seq) { conflict in
          Section(conflict.fieldName) {
            Button("Mine: \(conflict.text(of: .local) ?? "none")") {
              Task { await store.decide(conflict, taking: .local) }
            }
            Button("The other: \(conflict.text(of: .remote) ?? "none")") {
              Task { await store.decide(conflict, taking: .remote) }
            }
          }
        }
        ForEach(store.entries, id: \.id) { entry in
          LabeledContent(entry.metric.name) {
            Text("\(entry.quantity.formatted()) \(entry.metric.unit)")
            Image(systemName: entry.status == .synced ? "checkmark.icloud" : "icloud.and.arrow.up")
          }
        }
      }
      .task { await store.follow() }
      .refreshable { await store.sync() }
    }
  }
#endif
