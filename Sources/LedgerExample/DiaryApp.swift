#if os(iOS)
  import BackgroundTasks
  import Foundation
  import LedgerKit
  import SwiftUI

  @main
  struct DiaryApp: App {
    @Environment(\.scenePhase) private var phase
    private let ledger: Ledger
    private let store: DiaryStore
    private static let syncTask = "org.example.diary.sync"

    init() {
      do {
        var environment = LedgerEnvironment()
        environment.makeCredentialStore = { KeychainCredentialStore($0) }
        ledger = try Ledger.open(
          at: sharedFolder(of: "group.org.example.diary") + "/.ledger", device: "iPhone",
          environment: environment)
        store = DiaryStore(ledger)
      } catch {
        // Without its ledger the app has nothing to show; the sentence says what is wrong.
        fatalError("\(error)")
      }
    }

    var body: some Scene {
      WindowGroup { DiaryView(store: store) }
        .onChange(of: phase) { _, phase in
          if phase == .background { Self.scheduleSync() }
        }
        .backgroundTask(.appRefresh(Self.syncTask)) { [ledger] in
          await Self.scheduleSync()
          // Cancelled when the time is over: the run then ends by itself, within its grace.
          _ = try? await ledger.sync()
        }
    }

    private static func scheduleSync() {
      let request = BGAppRefreshTaskRequest(identifier: syncTask)
      request.earliestBeginDate = .now.addingTimeInterval(15 * 60)
      try? BGTaskScheduler.shared.submit(request)
    }
  }
#else
  import LedgerKit

  /// The same on a terminal: `LedgerExample FOLDER [QUANTITY]` logs a weight and shows the newest.
  @main
  struct DiaryApp {
    static func main() async throws {
      let arguments = CommandLine.arguments.dropFirst()
      guard let folder = arguments.first else {
        print("usage: LedgerExample FOLDER [WEIGHT]; the folder must be there")
        return
      }
      let store = DiaryStore(try openDiary(in: folder))
      if let weight = arguments.dropFirst().first.flatMap({ Double($0) }) {
        await store.log(.weight, weight)
      }
      await store.refresh()
      if let message = store.message { print(message) }
      for entry in store.entries {
        print(
          "\(entry.date) \(entry.metric.name) \(entry.quantity) \(entry.metric.unit)",
          entry.status.rawValue)
      }
    }
  }
#endif
