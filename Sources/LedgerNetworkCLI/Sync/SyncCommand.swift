import FitIQClient
import LedgerCLI
import LedgerJSON
import LedgerKit
import LedgerLog
import LedgerModel
import LedgerProjections
import Synchronization

/// `sync`: sends pending edits and pulls new rows, or prints the plan.
enum SyncCommand: AsyncCommand {
  static let spec = NetworkCommandSpecs.sync

  static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
    let isDry = arguments.flag("dry-run")
    try forbid(
      [
        ("pull-only", "push-only"), ("dry-run", "watch"), ("dry-run", "pull-only"),
        ("resend", "accept-deletions"), ("push-only", "resend"),
        ("push-only", "accept-deletions"), ("push-only", "full"), ("resend", "watch"),
        ("accept-deletions", "watch"),
      ], arguments)
    let target = try NetworkLedger(arguments, console)
    let trace = arguments.flag("trace") ? WireTraceText(console: console) : nil
    var options = target.syncOptions
    options.configuration.pulls = !arguments.flag("push-only")
    options.configuration.pushes = !arguments.flag("pull-only")
    options.configuration.listsAll = arguments.flag("full")
    options.configuration.onReplacedAccount = policy(arguments)
    do {
      if isDry { return try await dryRun(target, options, trace, console) }
      let connection = try await target.connection(trace)
      if arguments.flag("watch") {
        return try await watch(target, connection, options, console)
      }
      return try await once(target, connection, options, console)
    } catch {
      VerificationRecord.keep(damageIn: error, at: console.now(), in: target.directory)
      throw error
    }
  }

  private static func policy(_ arguments: ParsedArguments) -> ReplacementPolicy? {
    if arguments.flag("resend") { return .resend }
    return arguments.flag("accept-deletions") ? .acceptDeletions : nil
  }

  private static func forbid(
    _ pairs: [(String, String)], _ arguments: ParsedArguments
  ) throws {
    for (first, second) in pairs where arguments.flag(first) && arguments.flag(second) {
      throw CommandFailure(
        .usage, "--\(first) and --\(second) exclude each other; give one of them")
    }
  }

  private static func once(
    _ target: NetworkLedger, _ connection: BackendSession, _ options: SyncOptions,
    _ console: Console
  ) async throws -> ExitCode {
    let bars = SyncBars(console)
    var options = options
    options.onProgress = { bars.show($0) }
    let (ledger, settled) = (target.ledger, options)
    // Damage is reported by the run.
    let decisions = try? RunDecisions(since: target.directory)
    let report = try await EndSignals().run {
      try await ledger.sync(over: connection, options: settled)
    }
    bars.finish()
    let decided = report.conflicts > 0 ? try decisions?.conflicts() : nil
    try SyncAnswer(report: report, decided: decided).write(to: console)
    if !console.json, report.pulled + report.conflicts > 0 {
      for sentence in try decisions?.lostItems() ?? [] { console.warn(sentence) }
    }
    return SyncAnswer.exitCode(report)
  }

  private static func watch(
    _ target: NetworkLedger, _ connection: BackendSession, _ options: SyncOptions,
    _ console: Console
  ) async throws -> ExitCode {
    let ledger = target.ledger
    let log = WatchLog(console)
    console.note("watching \(console.shown(target.directory.path)); Ctrl-C stops it")
    let wakeUps = ExternalWakeUps()
    let report = try await EndSignals().run { [elements = wakeUps.elements] in
      try await ledger.watch(
        over: connection, options: options, wake: elements, onRun: { log.report($0) },
        onDamage: { log.report($0) })
    }
    wakeUps.cancel()
    if let error = log.writeError { throw error }
    console.note("stopped")
    return report.stop == .cancelled ? .done : SyncAnswer.exitCode(report)
  }

  /// Plans from the log and, when signed in, the queries that a run makes before its first call.
  private static func dryRun(
    _ target: NetworkLedger, _ options: SyncOptions, _ trace: WireTraceText?, _ console: Console
  ) async throws -> ExitCode {
    let connection = try await target.ledger.connection(trace: trace?.write)
    let text = console.json ? nil : PlanText(console: console)
    let kinds = Mutex<(any: Bool, createsProfile: Bool)>((false, false))
    let dryRun = try await target.ledger.plan(asking: connection, options: options) { calls in
      kinds.withLock { kinds in
        kinds.any = kinds.any || !calls.isEmpty
        kinds.createsProfile =
          kinds.createsProfile || calls.contains { $0.kind == .createProfile }
      }
      guard let text else {
        for call in calls { try console.line(call.json.serialized) }
        return
      }
      try text.write(calls)
    }
    let (hasCalls, createsProfile) = kinds.withLock { $0 }
    try text?.writeRest(of: dryRun.plan, hasCalls: hasCalls, createsProfile: createsProfile)
    if dryRun.deletions > 0 {
      let rows =
        dryRun.deletions == 1
        ? "1 entry, whose row is" : "\(dryRun.deletions) entries, whose rows are"
      console.warn("the run would delete here \(rows) missing at the backend")
    }
    if dryRun.openConflicts > 0 {
      let conflicts =
        dryRun.openConflicts == 1
        ? "a conflict would wait" : "\(NumberText.count(dryRun.openConflicts)) conflicts would wait"
      console.warn("\(conflicts) for you, and the edits in it are not sent: ledger conflicts")
    }
    if connection == nil {
      console.warn("not signed in; this is the plan by the log alone")
    }
    guard let stop = dryRun.stopped?.stop else { return .done }
    console.warn(SyncAnswer.sentence(stop) + "; this is the plan by the log alone")
    switch stop {
    case .accountReplaced, .massDeletion, .returnedRows: return .needsUser
    case .offline, .busy, .rateLimited, .signedOut, .refreshFailed, .cancelled: return .done
    }
  }
}

extension PlannedCall {
  /// A line of `sync --dry-run --json` (docs/cli.md). The body has the bytes that are sent, since both come
  /// from the canonical writer.
  fileprivate var json: JSONObject {
    JSONObject([
      "method": request.method.rawValue, "path": request.path,
      "body": request.body.flatMap { try? JSONValue(parsing: $0) }, "events": events, "why": why,
    ])
  }
}

/// What a run decided by itself: conflicts, and what it took out of the lists of the preferences. A list
/// is one value: of two devices' changes only one stays, and an allergy must not vanish without a word.
private struct RunDecisions {
  private let directory: LedgerDirectory
  private let before: JSONObject
  /// The last event before the run.
  private let last: Int

  /// - Parameter directory: of the ledger as it is before the run.
  init(since directory: LedgerDirectory) throws {
    self.directory = directory
    let view = try LogView.open(directory)
    (before, last) = try FoldedLog(view).ask { ($0.profileView().preferences, $0.position.seq) }
  }

  /// How many conflicts were found and decided.
  func conflicts() throws -> Int {
    try FoldedLog(LogView.open(directory)).ask { decided(in: $0).count }
  }

  private func decided(in state: LedgerState) -> [ConflictView] {
    state.conflicts().filter { $0.seq.number > last && $0.decision != .open }
  }

  /// A sentence for each list that misses items.
  func lostItems() throws -> [String] {
    try FoldedLog(LogView.open(directory)).ask { state in
      let now = state.profileView().preferences
      let decided = decided(in: state)
      return ProfileSubject.preferences.fields.compactMap { field in
        let sides = decided.filter { $0.field == field }.flatMap { [$0.local, $0.remote] }
        let left = items(now[field.rawValue])
        var lost: [String] = []
        for item in items(before[field.rawValue]) + sides.flatMap({ items($0) })
        where !left.contains(item) && !lost.contains(item) { lost.append(item) }
        return lost.isEmpty
          ? nil
          : sentence(field, lost, left, who: sides.isEmpty ? "another device" : "both devices")
      }
    }
  }

  private func items(_ list: JSONValue?) -> [String] { list?.array?.compactMap(\.string) ?? [] }

  private func sentence(
    _ field: ProfileField, _ lost: [String], _ left: [String], who: String
  ) -> String {
    let option =
      switch field {
      case .dietaryRestrictions: "--restriction"
      case .foodDislikes: "--dislike"
      default: "--allergy"
      }
    let name = field.rawValue.replacing("_", with: " ")
    return "the \(name) are now \(left.isEmpty ? "none" : left.joined(separator: ", ")), without "
      + "\(lost.joined(separator: ", ")), since \(who) changed them; to add: ledger append "
      + "preferences " + lost.map { "\(option) \(quoted($0))" }.joined(separator: " ")
  }
}

/// A plan as text, part by part: each call in two lines, then held edits with their reasons.
private struct PlanText {
  let console: Console

  func write(_ calls: [PlannedCall]) throws {
    let paint = console.paint
    for call in calls {
      let events = call.events.map { "#\($0)" }.joined(separator: " ")
      try console.line(
        "\(paint.bold(call.request.method.rawValue)) \(console.shown(call.request.path))"
          + "  \(paint.dim("\(console.shown(call.why)) (\(events))"))")
      if let body = call.request.body {
        try console.line("  " + console.shown(String(decoding: body, as: UTF8.self)))
      }
    }
  }

  /// What follows the calls.
  ///
  /// - Parameters:
  ///   - hasCalls: whether there were any.
  ///   - createsProfile: whether one of them makes the profile. A run decides about a birth date again
  ///     after its answer, which shows the one given on registration.
  func writeRest(of plan: Plan, hasCalls: Bool, createsProfile: Bool) throws {
    let paint = console.paint
    for hold in plan.holds {
      guard !createsProfile || hold.reason != .physicalNeedsHeightOrSex else {
        try console.done(
          "\(Self.edits(hold.events)): the answer to POST /api/v1/users/me shows whether the backend has "
            + "the birth date; if not, it is held: \(hold.reason.advice)", sign: "waits", .yellow)
        continue
      }
      try console.done(
        "\(Self.edits(hold.events)): \(hold.reason.advice)", sign: "held", .yellow)
    }
    for elision in plan.elisions {
      try console.line("\(paint.dim("no call needed for")) \(Self.edits(elision.events))")
    }
    if !plan.inDoubt.isEmpty {
      try console.line("\(paint.yellow("in doubt")) \(Self.edits(plan.inDoubt)): not sent again")
    }
    if !hasCalls, plan == Plan() { try console.line("nothing to send") }
  }

  private static func edits(_ seqs: [Seq]) -> String {
    "edit\(seqs.count == 1 ? "" : "s") " + seqs.map { "#\($0)" }.joined(separator: " ")
  }
}

/// The progress bar of a run's current stage, on a terminal and after a second.
private final class SyncBars: Sendable {
  private struct Shown {
    var stage: SyncProgress.Stage
    var bar: ProgressBar
  }

  private let console: Console
  private let shown = Mutex<Shown?>(nil)

  init(_ console: Console) {
    self.console = console
  }

  func show(_ progress: SyncProgress) {
    shown.withLock { shown in
      if shown?.stage != progress.stage {
        let isCounted = progress.stage == .pushing && progress.total > 0
        shown = Shown(
          stage: progress.stage,
          bar: console.progress(
            progress.stage.label, total: isCounted ? progress.total : nil))
      }
      shown?.bar.advance(to: progress.done)
    }
  }

  func finish() {
    shown.withLock { $0?.bar.finish() }
  }
}

extension SyncProgress.Stage {
  fileprivate var label: String {
    switch self {
    case .settling: "Settling"
    case .pulling: "Pulling"
    case .pushing: "Sending"
    }
  }
}

/// The output of `sync --watch`: a line for each run that changed something, and each problem once.
private final class WatchLog: Sendable {
  /// What a run left undone.
  private struct Problem: Equatable {
    var stop: SyncReport.Stop?
    var isPullFailed = false
    var needsUser = false

    init() {}

    init(_ report: SyncReport) {
      stop = report.stop
      isPullFailed = report.pull == .failed
      needsUser = report.needsUser
    }
  }

  private let console: Console
  private let state = Mutex((problem: Problem(), writeError: (any Error)?.none))

  init(_ console: Console) {
    self.console = console
  }

  /// Why a line could not be written, such as a closed pipe.
  var writeError: (any Error)? { state.withLock { $0.writeError } }

  /// Called at most once a day, as often as the log is checked.
  func report(_ damage: Damage) {
    let time = TimeText(zone: .current).second(console.now())
    console.warn(
      "\(time) \(damage.description); see what is still whole with 'ledger replay "
        + "--up-to-break', and restore events.jsonl from a copy")
  }

  func report(_ report: SyncReport) {
    let isNews = state.withLock { state in
      let problem = Problem(report)
      defer { state.problem = problem }
      return report.hasNews || state.problem != problem
    }
    guard isNews, report.stop != .cancelled || report.hasNews else { return }
    do {
      try SyncAnswer(report: report, end: console.now()).write(to: console)
      try console.flush()
    } catch {
      state.withLock { $0.writeError = $0.writeError ?? error }
    }
  }
}

extension SyncReport {
  fileprivate var hasNews: Bool {
    sent + acknowledged + reconciled + elided + rejected + pulled + deleted + differing + suspected
      > 0
  }
}
