#if os(iOS)
  import BackgroundTasks
  import Foundation
  import LedgerKit
  import SwiftUI

  @main
  struct DiaryApp: App {
    @Environment(\.scenePhase) private var phase
    private let store: DiaryStore
    private static let syncTask = "org.example.diary.sync"

    init() {
      do {
        var environment = LedgerEnvironment()
        environment.makeCredentialStore = { KeychainCredentialStore($0) }
        let ledger = try Ledger.open(
          at: sharedFolder(of: "group.org.example.diary") + "/.ledger", device: "iPhone",
          environment: environment)
        store = DiaryStore(ledger)
      } catch {
        // Without its ledger the app has nothing to show.
        fatalError("\(error)")
      }
    }

    var body: some Scene {
      WindowGroup { DiaryView(store: store) }
        .onChange(of: phase) { _, phase in
          if phase == .background { Self.scheduleSync() }
        }
        .backgroundTask(.appRefresh(Self.syncTask)) { [store] in
          await Self.scheduleSync()
          // Canceled when the time is up; the run then ends within its grace.
          await store.sync()
        }
    }

    private static func scheduleSync() {
      let request = BGAppRefreshTaskRequest(identifier: syncTask)
      request.earliestBeginDate = .now.addingTimeInterval(15 * 60)
      try? BGTaskScheduler.shared.submit(request)
    }
  }
#else
  import Foundation
  import LedgerKit

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
        end(2, "the weight is no number; give it in kg, such as 75.5")
      }
      do {
        let ledger = try openDiary(in: folder)
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
