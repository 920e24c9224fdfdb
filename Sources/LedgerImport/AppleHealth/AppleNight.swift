import LedgerModel

/// A part of a sleep sample that counts, since no better source measured at its time.
struct SleepPiece {
  var stage: SleepStageKind
  /// Seconds since 1970 in UTC, as ``end``.
  var start: Int64
  var end: Int64
  var sample: AppleSample
}

extension [AppleSample] {
  /// What counts of overlapping sleep samples, ordered by start.
  ///
  /// At a time at which several sources measured, the one with the best rank counts; within a source
  /// sleep before wakefulness, and a named stage before unspecified sleep. Time in bed fills what
  /// remains.
  ///
  /// - Parameters:
  ///   - rank: of a sample's source; the least is the best.
  ///   - skip: called for samples asleep that another source covers.
  func settledSleep(
    rank: (AppleSample) -> UInt16, skip: (AppleSample, _ reason: String) -> Void
  ) -> [SleepPiece] {
    var pieces: [SleepPiece] = []
    var covered = TimeSpans()
    for current in Set(map(rank)).sorted() {
      let own = filter { rank($0) == current && $0.stage != .inBed }
      var presence = covered
      for sample in own.sortedByStage {
        let free = presence.gaps(sample.start, sample.end)
        pieces += free.map { SleepPiece(sample, $0) }
        presence.add(sample.start, sample.end)
        let length = free.reduce(0) { $0 + $1.end - $1.start }
        if sample.isAsleep, length < sample.end - sample.start,
          covered.covered(sample.start, sample.end) > 0
        {
          skip(
            sample, length > 0 ? AppleAggregator.partlyCoveredReason : AppleAggregator.coveredReason
          )
        }
      }
      covered = presence
    }
    for sample in self where sample.stage == .inBed {
      let free = covered.gaps(sample.start, sample.end)
      if free.isEmpty { skip(sample, AppleAggregator.coveredReason) }
      pieces += free.map { SleepPiece(sample, $0) }
      covered.add(sample.start, sample.end)
    }
    return pieces.sorted { $0.start < $1.start }
  }
}

extension [AppleSample] {
  /// Named stages, then unspecified sleep, then wakefulness, each by start.
  fileprivate var sortedByStage: [AppleSample] {
    filter { $0.isAsleep && $0.stage != .asleep } + filter { $0.stage == .asleep }
      + filter { !$0.isAsleep }
  }
}

extension SleepPiece {
  fileprivate init(_ sample: AppleSample, _ span: (start: Int64, end: Int64)) {
    self.init(stage: sample.stage, start: span.start, end: span.end, sample: sample)
  }
}

extension AppleSample {
  /// Of a sleep sample, whose value is the number of its stage.
  var stage: SleepStageKind { SleepStageKind.allCases[Int(value)] }

  /// Whether a sleep sample is sleep.
  var isAsleep: Bool {
    switch stage {
    case .asleep, .core, .deep, .rem: true
    case .awake, .inBed: false
    }
  }
}

/// The pieces of one session, until a longer gap ends it.
struct AppleNight {
  private(set) var pieces: [SleepPiece] = []

  /// A longer time without a sample separates sessions, such as a night and a nap.
  static let longestGapSeconds: Int64 = 2 * 3600
  /// A ledger's session is not longer.
  private static let longestSeconds: Int64 = 48 * 3600

  /// Whether a piece belongs to another session.
  func isOver(before piece: SleepPiece) -> Bool {
    guard let first = pieces.first, let last = pieces.last else { return false }
    return piece.start - last.end > Self.longestGapSeconds
      || piece.end - first.start > Self.longestSeconds
  }

  /// - Parameter piece: after all others.
  mutating func add(_ piece: SleepPiece) {
    if let last = pieces.last, last.end == piece.start, last.stage == piece.stage,
      last.sample.offsetMinutes == piece.sample.offsetMinutes
    {
      pieces[pieces.count - 1].end = piece.end
    } else {
      pieces.append(piece)
    }
  }

  /// Whether it has any sleep.
  var isSleep: Bool { pieces.contains { $0.sample.isAsleep } }
}
