import LedgerLog
import LedgerModel

/// A ledger on disk with drawn events in it, and what a right replay must find there.
final class SampleLedger {
  let directory: LedgerDirectory
  private(set) var head = Head.empty
  private(set) var mixture: EventMixture
  private let log: EventLog
  private var generator: SplitMix64

  init(at path: String, seed: UInt64) throws {
    directory = LedgerDirectory(path)
    log = EventLog(directory)
    generator = SplitMix64(seed: seed)
    mixture = EventMixture(seed: generator.next())
    let made = try EventLog.create(
      directory, device: "benchmark", at: mixture.now, using: &generator)
    note(made)
  }

  func grow(to count: Int) throws {
    while head.seq < count {
      _ = try append(draw(min(1000, count - head.seq)))
    }
  }

  func draw(_ count: Int) -> [Event] {
    (0..<count).map { _ in mixture.next() }
  }

  func append(_ events: [Event]) throws -> Int {
    note(try log.append(events, using: &generator))
    return head.seq
  }

  private func note(_ appended: Appended) {
    guard let last = appended.events.last, let hash = ChainHash(last.hash.utf8) else { return }
    head = Head(
      seq: last.seq.number, offsetBytes: head.offsetBytes + appended.lines.count, hash: hash)
  }
}
