import LedgerLog
import Synchronization

/// Gives the stretches of a log out to threads, and puts what they have read together in the order
/// of the log: one thread does that while the others read on, and the columns of a stretch are still
/// in its cache.
final class LogRangeQueue: Sendable {
  /// What has been put together so far: at the end, what one reader would have read.
  struct Gathered: Sendable {
    var batch = ColumnBatch(after: 0)
    /// What sums up the lines; `nil` where nobody asks for it.
    var blocks: [LineBlock]?
    /// Where the last line that was put in ends.
    var scan: EventScan?
    /// What ended the reading of the last stretch that was put in.
    var error: LogError?
  }

  private struct Work: Sendable {
    /// The next stretch to be read.
    var next = 0
    /// Those that were read and wait for their turn.
    var waiting: [Int: Reading] = [:]
    /// The next one to be put in.
    var turn = 0
    /// `nil` while a thread is putting something in.
    var gathered: Gathered?
    /// Columns to be filled again.
    var spare: [ColumnBatch] = []
  }

  private struct Reading: Sendable {
    var reader: BatchReader
    var error: LogError?
  }

  /// A stretch whose turn it is, and what it goes into.
  private struct Ready: Sendable {
    var reading: Reading
    var gathered: Gathered
  }

  private let view: LogView
  private let stretches: [LogRange]
  private let checks: LineChecks
  private let options: Replay.Options
  private let work: Mutex<Work>

  init(
    _ view: LogView, _ stretches: [LogRange], _ checks: LineChecks, _ options: Replay.Options
  ) {
    self.view = view
    self.stretches = stretches
    self.checks = checks
    self.options = options
    work = Mutex(Work(gathered: Gathered(blocks: options.blocks == nil ? nil : [])))
  }

  /// Works until nothing is left to be begun. Whoever is the last to read a stretch finds it waiting
  /// and puts it in, unless another thread is about to.
  func help() {
    let room = WindowRoom()
    while true {
      if var ready = takeReady() {
        gather(&ready)
        finish(&ready)
      } else if let index = takeStretch() {
        read(index, through: room)
      } else {
        return
      }
    }
  }

  /// What came of it, once all threads are done.
  func take() -> Gathered {
    work.withLock { work in
      defer { work.gathered = nil }
      return work.gathered!
    }
  }

  // Whatever is taken is nobody else's any more: columns that two hold are copied when they grow.

  private func takeReady() -> Ready? {
    work.withLock { work in
      guard work.gathered != nil, let reading = work.waiting.removeValue(forKey: work.turn)
      else { return nil }
      defer { work.gathered = nil }
      return Ready(reading: reading, gathered: work.gathered!)
    }
  }

  private func takeStretch() -> Int? {
    work.withLock { work in
      guard work.next < stretches.count else { return nil }
      defer { work.next += 1 }
      return work.next
    }
  }

  /// Columns with the room that another stretch took.
  private func takeColumns(for stretch: LogRange) -> ColumnBatch? {
    guard var columns = work.withLock({ $0.spare.popLast() }) else { return nil }
    columns.restart(after: stretch.position.seq)
    return columns
  }

  private func read(_ index: Int, through room: WindowRoom) {
    let stretch = stretches[index]
    var reader = BatchReader(
      from: stretch.position, offsetBytes: stretch.start, checks: checks)
    if let columns = takeColumns(for: stretch) {
      reader.batch = columns
    } else {
      reader.expectedBytes = stretch.end - stretch.start
    }
    reader.blocks = options.blocks
    var failure: LogError?
    do throws(LogError) {
      try reader.read(view, to: stretch.end, through: room, onBytes: options.onBytes)
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

  private func gather(_ ready: inout Ready) {
    if ready.gathered.scan == nil {
      let stretch = stretches[0]
      ready.gathered.batch.reserve(
        like: ready.reading.reader.batch,
        times: Double(view.endBytes) / Double(max(1, stretch.end - stretch.start)))
    }
    ready.gathered.batch.take(&ready.reading.reader.batch)
    ready.gathered.blocks?.append(contentsOf: ready.reading.reader.blocks?.blocks() ?? [])
    ready.gathered.scan = ready.reading.reader.scan
    ready.gathered.error = ready.reading.error
  }

  private func finish(_ ready: inout Ready) {
    work.withLock { work in
      work.turn += 1
      if ready.gathered.error != nil {
        // Nothing behind damage counts.
        work.next = stretches.count
        work.turn = stretches.count
      }
      var columns = ColumnBatch(after: 0)
      swap(&columns, &ready.reading.reader.batch)
      work.spare.append(columns)
      var gathered = Gathered()
      swap(&gathered, &ready.gathered)
      work.gathered = gathered
    }
  }
}
