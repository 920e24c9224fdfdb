import Foundation
import LedgerKit

#if canImport(SwiftUI)
  import SwiftUI
#endif

#if os(iOS)
  @main
  struct DiaryApp: App {
    @Environment(\.scenePhase) private var phase
    private let store: DiaryStore
    private let background: LedgerBackground
    private static let syncTask = "org.example.diary.sync"

    init() {
      do {
        var environment = LedgerEnvironment()
        environment.makeCredentialStore = { KeychainCredentialStore($0) }
        let ledger = try Ledger.open(
          at: sharedFolder(of: "group.org.example.diary") + "/.ledger", device: "iPhone",
          environment: environment)
        let bodyMass = BodyMass(feed: HealthFeed(ledger: ledger))
        let store = DiaryStore(ledger) { try await bodyMass.perform($0) }
        background = LedgerBackground(
          ledger, taskIdentifier: Self.syncTask, options: store.options
        ) { run in
          Task { await store.note(run) }
        }
        // At every start, since the system also starts the app for HealthKit.
        Task {
          do {
            try await bodyMass.observe { result in Task { await store.noteImport(result) } }
          } catch {
            store.noteImport(.failure(error))
          }
        }
        self.store = store
      } catch {
        // Without its ledger the app has nothing to show.
        fatalError("\(error)")
      }
    }

    var body: some Scene {
      WindowGroup { DiaryView(store: store) }
        .onChange(of: phase, initial: true) { _, phase in background.enter(phase) }
        .backgroundTask(.appRefresh(Self.syncTask)) { [background] in
          await background.refresh()
        }
    }
  }
#else
  /// On a terminal: `LedgerExample FOLDER [WEIGHT]` logs a weight and shows the newest.
  @main
  struct DiaryApp {
    static func main() async {
      let arguments = CommandLine.arguments.dropFirst()
      guard let folder = arguments.first else {
        end(2, "usage: LedgerExample FOLDER [WEIGHT]")
      }
      let weight = arguments.dropFirst().first
      guard weight == nil || weight.flatMap({ Double($0) }) != nil else {
        end(2, "the weight is not a number; give it in kg, such as 75.5")
      }
      do {
        let ledger = try await openDiary(in: folder)
        if let weight = weight.flatMap({ Double($0) }) { try await ledger.log(.weight, weight) }
        for line in try await newestWeights(in: ledger) { print(line) }
      } catch {
        end(1, "\(error)")
      }
    }

    private static func end(_ code: Int32, _ sentence: String) -> Never {
      FileHandle.standardError.write(Data((sentence + "\n").utf8))
      exit(code)
    }
  }
#endif

#if canImport(SwiftUI)
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

/// A weight in the user's unit, `165 lb`; `nil` for an entry of another metric.
func weightText(_ entry: EntryView, for person: ProfileView) -> String? {
  let unit: UnitMass = person.unitSystem == .imperial ? .pounds : .kilograms
  guard let weight = entry.measurement(of: .weight)?.converted(to: unit) else { return nil }
  let number = weight.value.formatted(.number.precision(.fractionLength(0...1)))
  return "\(number) \(unit.symbol)"
}
