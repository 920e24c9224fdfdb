import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections
@testable import LedgerStore

/// Any set of lines, erased by hand (docs/log-format.md, Erasing).
@Suite struct ErasureForgeryTests {
  private typealias Line = ErasureRuleTests.Line

  /// Lines erased by hand from a random log, with or without records.
  private struct Forgery {
    var before: [Line] = []
    var after: [Line] = []
    var erased: Set<Int> = []

    init(seed: UInt64, count: Int) {
      var random = SplitMix(seed)
      let lines = RandomStory.lines(seed: seed, count: count).map {
        Line($0.payload.type, $0.payload.data.serialized, by: $0.by)
      }
      before = lines
      func entry(_ index: Int) -> JSONValue? {
        (try? JSONValue(parsing: lines[index].data))?.object?["entry"].flatMap {
          EntryID(json: $0)?.json
        }
      }
      let seqs = before.indices.map { $0 + 1 }
      var taken = (0..<Int.random(in: 1...3, using: &random)).map { _ in random.pick(seqs) }
      if random.chance(70),
        let subject = seqs.shuffled(using: &random).lazy.compactMap({ entry($0 - 1) }).first
      {
        taken = seqs.filter { seq in
          entry(seq - 1) == subject && before[seq - 1].type.hasPrefix("progress.")
        }
        if random.chance(20) { taken.append(random.pick(seqs)) }
        // Two entries at once.
        if random.chance(20),
          let second = seqs.shuffled(using: &random).lazy.compactMap({
            entry($0 - 1)
          }).first(where: { $0 != subject })
        {
          taken += seqs.filter { entry($0 - 1) == second }
        }
        if random.chance(20) { _ = taken.popLast() }
      }
      erased = Set(taken)
      after = before
      for seq in erased { after[seq - 1].isErased = true }
      let first = erased.sorted().compactMap { entry($0 - 1)?.string }.first
      // Records may name the entry of each line, that of another line, or one that was never logged.
      let naming = Int.random(in: 0..<5, using: &random)
      let strange = naming == 0 ? entry(random.pick(seqs) - 1)?.string : "\(Scene().entryID(99))"
      func entryOf(_ seq: Int) -> String? {
        switch naming {
        case 0, 1: strange
        case 2, 3: entry(seq - 1)?.string ?? first
        default: first
        }
      }
      let style = Int.random(in: 0..<3, using: &random)
      var named = random.chance(20) ? [] : erased.sorted()
      if random.chance(15) { named.shuffle(using: &random) }
      if random.chance(10) { named = Array(named.dropLast()) }
      for seq in named {
        if random.chance(8) { after.append(ErasureRuleTests.note) }
        let subject =
          style == 0
          ? ""
          : style == 1
            ? ErasureRuleTests.asFields : entryOf(seq).map { #","entry":"\#($0)""# } ?? ""
        after.append(ErasureRuleTests.record(seq, subject))
      }
    }
  }

  private static let fixedSeeds: [UInt64] = [
    1, 2, 13_376_180_593_911_848_101, 16_639_087_161_461_361_911,
  ]

  @Test(
    "Lines erased by hand are refused by all, or are an erasure that a checkpoint names",
    arguments: fixedSeeds + [.random(in: 0 ... .max)])
  func property(seed: UInt64) throws {
    var accepted = 0
    for round in 0..<TestSize.of(20, full: 80) {
      let seed = seed &+ UInt64(round) &* 7919
      let forgery = Forgery(seed: seed, count: 40)
      let folder = try TemporaryFolder()
      func log(_ lines: [Line]) -> HandWrittenLog {
        ErasureRuleTests.log(lines, isCreated: false)
      }
      let original = try log(forgery.before).write(to: folder)
      let checkpoint = try LedgerStore(original).checkpoint(at: HandWrittenLog.at(99))
      let damage = try ErasureReaders.damage(log(forgery.after), in: folder)
      let place: Comment = "seed \(seed)"
      let expected = ErasureOracle(
        lines: forgery.after.map {
          ErasureOracle.Line($0.type, $0.data, $0.isErased, isBySync: $0.by == .sync)
        }
      ).isRight
      // What the program refuses beyond this is for the tables, and that it accepts what `erase` makes for
      // the stories with erasures.
      if !expected { #expect(!damage.isEmpty, place) }
      guard damage.isEmpty else { continue }
      accepted += 1
      let audit = try LogAudit(of: folder.ledger, against: .checkpoint(checkpoint))
      #expect(audit.isOK && Set(audit.erasedSince.map(\.number)) == forgery.erased, place)
      let head = HashPrefix(Array(checkpoint.hash.description.utf8.prefix(16)))!
      let kept = try LogAudit(of: folder.ledger, against: .hash(head))
      #expect(kept.isOK && kept.erasedSince == audit.erasedSince, place)
    }
    // Any other seed may make only forgeries that are refused.
    if Self.fixedSeeds.contains(seed) { #expect(accepted > 0) }
  }
}
