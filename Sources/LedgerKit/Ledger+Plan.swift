import LedgerLog
import LedgerProjections
public import LedgerSync

extension Ledger {
  /// What a sync would send now, in its order and byte for byte. Nothing is written, here or there.
  ///
  /// It is planned from the log's own lines, their chain links checked, as a run is. It goes as far as
  /// a run goes before its first call: lost answers are looked into, the person
  /// merged and rows pulled, all in memory.
  ///
  /// - Parameters:
  ///   - connection: what it asks; `nil` to go by the log alone, as if the backend had nothing new.
  ///     So it does, too, when the backend cannot be reached.
  ///   - options: those of the run that is foreseen.
  /// - Returns: the plan, and the report of a run that would end before it sends, such as one that
  ///   finds no connection.
  /// - Throws: `LogError`; `CancellationError`.
  public func plan(
    asking connection: (any BackendConnection)?, options: SyncOptions = SyncOptions()
  ) async throws -> (plan: Plan, stopped: SyncReport?) {
    let state = try local.verifiedState()
    let view = try LogView.open(directory)
    guard let connection else {
      // Nothing is pulled, so the backend's ids need not be read.
      let alone = DryRunLedger(state: state, texts: view, index: RowIndex())
      return (try Self.planAlone(alone, options.dialect), nil)
    }
    var foreseen = DryRunLedger(state: state, texts: view, index: try index(upTo: view, state))
    var wishes = options.wishes
    // With nothing to send there is nothing to plan for.
    wishes.pushes = true
    wishes.lastListing = ListingCache(directory: directory).read(view)
    var machine = SyncMachine(wishes)
    var generator = generator()
    var inputs: [SyncMachine.Input] = [.begin]
    while true {
      var next: [SyncMachine.Input] = []
      for effect in machine.handle(inputs, at: moment(), using: &generator) {
        switch effect {
        case .look(.plan(var wish)):
          wish.limit = .max
          guard case .plan(let plan) = try foreseen.desk(options.dialect).answer(.plan(wish))
          else { continue }
          return (plan, nil)
        case .look(let question):
          next.append(.seen(try foreseen.desk(options.dialect).answer(question)))
        case .decide(let decision):
          let (payloads, outcome) = try foreseen.desk(options.dialect).decide(
            decision, at: moment(), using: &generator)
          foreseen.add(payloads, at: moment(), using: &generator)
          next.append(.decided(outcome))
        case .send(let ticket, let request):
          // Before its plan a run only asks.
          precondition(!request.method.mutates, "a plan sends nothing")
          next.append(.answered(ticket, await connection.send(request)))
        case .wait(let ticket, let milliseconds):
          await environment.pause(.milliseconds(milliseconds))
          try Task.checkCancellation()
          next.append(.elapsed(ticket))
        case .record: next.append(.recorded)
        case .progress: break
        case .finish(let report):
          return (try Self.planAlone(foreseen, options.dialect), report)
        }
      }
      inputs = next
    }
  }

  private static func planAlone(
    _ foreseen: DryRunLedger<LogView>, _ dialect: Dialect
  ) throws(LogError) -> Plan {
    guard case .plan(let plan) = try foreseen.desk(dialect).answer(.plan(PlanRequest())) else {
      return Plan()
    }
    return plan
  }
}
