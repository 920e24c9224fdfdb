import LedgerPlatform

/// Every view there is, so that the time a replay takes is the time they all take.
public struct AllViews: Equatable, Sendable {
  public let profile: ProfileView
  public let entries: EntryCounts
  public let newest: ProgressPage
  public let days: [DayGroup]
  public let sync: SyncCounts

  /// - Parameter threads: with two or more, the days, which cost about as much as the others do
  ///   together, are added up beside them; `nil` for as many as the machine has cores.
  public init(_ state: LedgerState, threads: Int? = nil) {
    let isWorthIt = state.opened == nil && state.rows.count >= Self.fewestRowsForAThread
    let days =
      isWorthIt && threads ?? Threads.available > 1 ? Threads.begin { state.days() } : nil
    profile = state.profileView()
    sync = state.syncCounts()
    guard state.opened == nil else {
      entries = state.entryCounts()
      newest = state.progress(ProgressQuery())
      self.days = state.days()
      return
    }
    let walk = RowWalk(state, withDays: days == nil)
    entries = walk.entries
    newest = state.progress(ProgressQuery(), walk)
    self.days = days.map { $0.wait() } ?? walk.days?.all ?? []
  }

  /// Their days take as long as a thread takes to start, ten times over.
  private static let fewestRowsForAThread = 20_000
}
