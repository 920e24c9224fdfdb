public import LedgerLog
public import LedgerModel
import Synchronization

/// Rebuilds the state from the log's first line, or brings one up to date.
public enum Replay {
  public struct Options: Sendable {
    /// Whether the chain of hashes is checked on the way.
    public var verifies: Bool
    /// How many threads read; `nil` for as many as the machine has cores.
    public var threads: Int?
    /// The last event to fold.
    public var until: Seq?
    /// Told now and then how many bytes more have been read, by whichever thread has read them.
    public var onBytes: (@Sendable (_ count: Int) -> Void)?
    /// What sums lines up on the way, for a snapshot to keep; `nil` where nobody asks for it.
    var blocks: LineBlockMaker?
    /// A thread is worth its start from some megabytes on.
    var smallestStretchBytes = 4 << 20

    public init(verifies: Bool = true, threads: Int? = nil, until: Seq? = nil) {
      self.verifies = verifies
      self.threads = threads
      self.until = until
    }
  }

  /// What came of it: everything before the damage, if there is any.
  public struct Outcome: Sendable {
    public var state: LedgerState
    public var damage: Damage?
  }

  /// Folds a log from line 1.
  ///
  /// - Throws: ``LogError`` for what keeps the log from being read; damage is in the outcome.
  public static func run(_ view: LogView, _ options: Options = Options()) throws(LogError)
    -> Outcome
  {
    let checks: LineChecks = options.verifies ? .chain : .form
    let wanted = options.threads ?? Threads.available
    let worthwhile = max(1, min(wanted, view.endBytes / max(1, options.smallestStretchBytes)))
    // Where a replay that stops early will end is not known yet.
    let count = options.until == nil ? worthwhile : 1
    let stretches = try Stretch.split(view, into: count)
    let results = ResultBox(count: stretches.count)
    let until = options.until?.number ?? .max
    Threads.run(stretches.count) { index in
      let stretch = stretches[index]
      var reader = BatchReader(
        from: stretch.position, offsetBytes: stretch.start, checks: checks, until: until)
      reader.blocks = options.blocks
      // All columns end up behind those of the first stretch.
      reader.expectedBytes = (index == 0 ? view.endBytes : stretch.end) - stretch.start
      do throws(LogError) {
        try reader.read(view, to: stretch.end, onBytes: options.onBytes)
        results.set(index, .init(reader: reader, error: nil))
      } catch {
        results.set(index, .init(reader: reader, error: error))
      }
    }
    return try join(results, keepsBlocks: options.blocks != nil)
  }

  /// Folds what the log has grown by since `state`.
  ///
  /// - Parameters:
  ///   - until: the last event to fold; `nil` for all.
  ///   - onBytes: told now and then how many bytes more have been read.
  /// - Throws: damage behind the state's position, with the state brought up to it.
  public static func advance(
    _ state: inout LedgerState, to view: LogView, verifies: Bool = false, until: Seq? = nil,
    onBytes: ((_ count: Int) -> Void)? = nil
  ) throws(LogError) {
    let last = until?.number ?? .max
    guard state.offsetBytes < view.endBytes, state.position.seq < last else { return }
    var reader = BatchReader(
      from: state.position, offsetBytes: state.offsetBytes, checks: verifies ? .chain : .form,
      until: last)
    if state.blocks != nil { reader.blocks = LineBlockMaker() }
    do throws(LogError) {
      try reader.read(view, to: view.endBytes, onBytes: onBytes)
    } catch {
      state.join(&reader)
      throw error
    }
    state.join(&reader)
  }

  private static func join(
    _ results: ResultBox, keepsBlocks: Bool
  ) throws(LogError) -> Outcome {
    var state = LedgerState()
    if keepsBlocks { state.blocks = Column() }
    for index in 0..<results.count {
      var result = results.take(index)
      state.join(&result.reader)
      guard let error = result.error else { continue }
      guard case .damaged(let damage) = error else { throw error }
      return Outcome(state: state, damage: damage)
    }
    return Outcome(state: state, damage: nil)
  }
}

extension LedgerState {
  /// Joins what a reader has read, and leaves it without.
  mutating func join(_ reader: inout BatchReader) {
    position = reader.scan.position
    offsetBytes = reader.scan.offsetBytes
    join(reader.blocks?.blocks())
    apply(&reader.batch)
  }
}

/// A part of the log that one thread reads: from a line's start to another's.
private struct Stretch: Sendable {
  var start: Int
  var end: Int
  /// What the first line must follow: it stands in the line before.
  var position: ChainPosition

  static func split(_ view: LogView, into count: Int) throws(LogError) -> [Stretch] {
    var stretches = [Stretch(start: 0, end: view.endBytes, position: .start)]
    for index in 1..<max(count, 1) {
      let target = view.endBytes / count * index
      guard let cut = try cut(view, before: target), cut.offsetBytes > stretches.last!.start
      else { continue }
      stretches[stretches.count - 1].end = cut.offsetBytes
      stretches.append(
        Stretch(start: cut.offsetBytes, end: view.endBytes, position: cut.position))
    }
    return stretches
  }

  /// Nothing begins at a line that is damaged: the stretch before it goes on, and finds that out.
  private static func cut(
    _ view: LogView, before target: Int
  ) throws(LogError) -> (position: ChainPosition, offsetBytes: Int)? {
    do throws(LogError) {
      return try view.position(before: target)
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }
}

/// Where threads leave what they have read; each has a place of its own.
private final class ResultBox: Sendable {
  struct Result: Sendable {
    var reader: BatchReader
    var error: LogError?
  }

  private let slots: [Slot]

  init(count: Int) {
    slots = (0..<count).map { _ in Slot() }
  }

  func set(_ index: Int, _ result: Result) { slots[index].value.withLock { $0 = result } }

  var count: Int { slots.count }

  /// Hands a result over, so that its columns are nobody else's.
  ///
  /// - Precondition: its thread is done, and it was not taken before.
  func take(_ index: Int) -> Result {
    slots[index].value.withLock { value in
      defer { value = nil }
      return value!
    }
  }

  private final class Slot: Sendable {
    let value = Mutex<Result?>(nil)
  }
}
