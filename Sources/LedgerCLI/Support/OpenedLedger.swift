package import LedgerLog
package import LedgerModel
import LedgerPlatform
import LedgerProjections
package import LedgerStore

/// The ledger that a command writes to, in the zone its owner lives in, at one moment.
package struct OpenedLedger {
  package let ledger: LedgerStore
  package let zone: LocalZone
  /// Asked once, so that an event, its ids and «today» agree.
  package let now: Timestamp

  package var directory: LedgerDirectory { ledger.directory }
  package var today: CalendarDate { zone.today(at: now) }

  /// Finds the ledger and enters its zone. Reads nothing of the log.
  package static func open(_ arguments: ParsedArguments, _ console: Console) throws -> Self {
    let directory = try LedgerLocation.find(arguments, console)
    let zone = try Settings.read(directory).enterZone()
    return OpenedLedger(ledger: LedgerStore(directory), zone: zone, now: LocalZone.now())
  }

  package func makeEntry() -> EntryID {
    var generator = SystemEntropy()
    return .make(at: now, using: &generator)
  }

  package func append(_ edits: [Edit]) throws -> LedgerStore.Outcome {
    var generator = SystemEntropy()
    return try ledger.append(edits, at: now, today: today, using: &generator)
  }
}
