package import LedgerLog
import Synchronization

extension LogRange {
  /// At most `count` ranges that together are the whole log.
  package static func split(_ view: LogView, into count: Int) throws(LogError) -> [LogRange] {
    try LogRange(position: .start, bytes: 0..<view.endBytes).split(in: view, into: count)
  }

  /// At most `count` ranges that together are this one.
  func split(in view: LogView, into count: Int) throws(LogError) -> [LogRange] {
    var ranges = [self]
    for index in 1..<max(count, 1) {
      let target = bytes.lowerBound + bytes.count / count * index
      guard let cut = try Self.cut(view, before: target),
        case let start = ranges[ranges.count - 1].bytes.lowerBound, cut.offsetBytes > start
      else { continue }
      ranges[ranges.count - 1].bytes = start..<cut.offsetBytes
      ranges.append(LogRange(position: cut.position, bytes: cut.offsetBytes..<bytes.upperBound))
    }
    return ranges
  }

  /// - Returns: `nil` at a damaged line: the range before it continues and reports the damage.
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

/// Hands ranges of a log to threads and joins what they read in log order. One thread joins while
/// the others read on, so the columns of a range are joined while still in its cache.
final class LogRangeQueue: Sendable {
  /// What has been joined so far: in the end, what a single reader would have read.
  struct Joined: Sendable {
    var batch: ColumnBatch
    /// `nil` unless asked for.
    var blocks: [LineBlock]?
    /// The end of the last range joined.
    var scan: EventScan?
    /// Why reading ended in the last range joined.
    var error: LogError?
  }

  private struct Work: Sendable {
    /// The next range to read.
    var next = 0
    /// Ranges that were read and not joined yet.
    var waiting: [Int: Reading] = [:]
    /// The next range to join.
    var turn = 0
    /// `nil` while a thread is joining.
    var joined: Joined?
    /// Columns to reuse.
    var spare: [ColumnBatch] = []
  }

  private struct Reading: Sendable {
    var reader: BatchReader
    var error: LogError?
  }

  /// A range whose turn it is, and what it is joined to.
  private struct Ready: Sendable {
    var reading: Reading
    var joined: Joined
  }

  private let view: LogView
  private let ranges: [LogRange]
  private let options: Replay.Options
  private let work: Mutex<Work>

  /// - Precondition: there is a range.
  init(_ view: LogView, _ ranges: [LogRange], _ options: Replay.Options) {
    self.view = view
    self.ranges = ranges
    self.options = options
    let batch = ColumnBatch(after: ranges[0].position.seq)
    work = Mutex(Work(joined: Joined(batch: batch, blocks: options.blocks == nil ? nil : [])))
  }

  /// Runs on each thread until there is nothing left to begin. The thread that reads the last range
  /// finds it waiting and joins it, unless another thread is joining.
  func readAndJoin() {
    let buffer = WindowBuffer()
    while true {
      if var ready = takeReady() {
        join(&ready)
        finish(&ready)
      } else if let index = takeRange() {
        read(index, through: buffer)
      } else {
        return
      }
    }
  }

  /// The result, once all threads are done.
  func take() -> Joined {
    work.withLock { work in
      defer { work.joined = nil }
      return work.joined!
    }
  }

  // Everything taken is removed from `Work`: columns with two owners are copied when they grow.

  private func takeReady() -> Ready? {
    work.withLock { work in
      guard work.joined != nil, let reading = work.waiting.removeValue(forKey: work.turn)
      else { return nil }
      defer { work.joined = nil }
      return Ready(reading: reading, joined: work.joined!)
    }
  }

  private func takeRange() -> Int? {
    work.withLock { work in
      guard work.next < ranges.count else { return nil }
      defer { work.next += 1 }
      return work.next
    }
  }

  private func takeColumns(for range: LogRange) -> ColumnBatch? {
    guard var columns = work.withLock({ $0.spare.popLast() }) else { return nil }
    columns.restart(after: range.position.seq)
    return columns
  }

  private func read(_ index: Int, through buffer: WindowBuffer) {
    let range = ranges[index]
    var reader = BatchReader(
      from: range.position, offsetBytes: range.bytes.lowerBound, checks: options.checks)
    if let columns = takeColumns(for: range) {
      reader.batch = columns
    } else {
      reader.expectedBytes = range.bytes.count
    }
    reader.blocks = options.blocks
    var failure: LogError?
    do throws(LogError) {
      try reader.read(view, to: range.bytes.upperBound, through: buffer, onBytes: options.onBytes)
    } catch {
      failure = error
    }
    var reading: Reading? = Reading(reader: reader, error: failure)
    reader.batch = ColumnBatch(after: 0)
    work.withLock { work in
      work.waiting[index] = reading
      reading = nil
    }
  }

  private func join(_ ready: inout Ready) {
    if ready.joined.scan == nil {
      let range = ranges[0]
      ready.joined.batch.reserve(
        like: ready.reading.reader.batch,
        times: Double(view.endBytes - range.bytes.lowerBound) / Double(max(1, range.bytes.count)))
    }
    ready.joined.batch.take(&ready.reading.reader.batch)
    ready.joined.blocks?.append(contentsOf: ready.reading.reader.blocks?.blocks() ?? [])
    ready.joined.scan = ready.reading.reader.scan
    ready.joined.error = ready.reading.error
  }

  private func finish(_ ready: inout Ready) {
    work.withLock { work in
      work.turn += 1
      if ready.joined.error != nil {
        // Ranges after the damage do not count.
        work.next = ranges.count
        work.turn = ranges.count
      }
      var columns = ColumnBatch(after: 0)
      swap(&columns, &ready.reading.reader.batch)
      work.spare.append(columns)
      var joined = Joined(batch: ColumnBatch(after: 0))
      swap(&joined, &ready.joined)
      work.joined = joined
    }
  }
}
