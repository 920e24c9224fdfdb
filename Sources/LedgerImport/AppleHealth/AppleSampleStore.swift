import LedgerPlatform

/// Sorts any number of samples in bounded memory: sorted runs beyond it go to an unnamed temporary
/// file.
final class AppleSampleStore {
  private let capacity: Int
  private var held: [AppleSample] = []
  /// The runs in the file, as ranges of sample indices.
  private var runs: [Range<Int>] = []
  private var file: OpenFile?

  private static let stride = MemoryLayout<AppleSample>.stride

  /// - Parameter capacity: samples held in memory, 32 bytes each.
  init(capacity: Int = 400_000) {
    self.capacity = max(1, capacity)
  }

  func append(_ sample: AppleSample) throws(ImportError) {
    if held.isEmpty { held.reserveCapacity(min(capacity, 65_536)) }
    held.append(sample)
    if held.count == capacity { try spill() }
  }

  /// Calls `body` with all samples in order. Call it once.
  func visit(_ body: (AppleSample) throws(ImportError) -> Void) throws(ImportError) {
    guard !runs.isEmpty else {
      held.sort(by: AppleSample.isBefore)
      for sample in held { try body(sample) }
      held = []
      return
    }
    try spill()
    held = []
    guard let file else { return }
    var readers = runs.map { RunReader(file: file, rest: $0) }
    for index in readers.indices { try readers[index].refill() }
    // There are few runs, so a linear search for the least is enough.
    while true {
      var least: (index: Int, sample: AppleSample)?
      for index in readers.indices {
        guard let sample = readers[index].current else { continue }
        if let found = least, !AppleSample.isBefore(sample, found.sample) { continue }
        least = (index, sample)
      }
      guard let least else { return }
      try readers[least.index].advance()
      try body(least.sample)
    }
  }

  private func spill() throws(ImportError) {
    guard !held.isEmpty else { return }
    held.sort(by: AppleSample.isBefore)
    let start = runs.last?.upperBound ?? 0
    do throws(IOFailure) {
      let file = if let file { file } else { try OpenFile.makeTemporary() }
      self.file = file
      try held.withUnsafeBufferPointer { (samples) throws(IOFailure) in
        try file.write(UnsafeRawBufferPointer(samples), at: start * Self.stride)
      }
    } catch {
      throw ImportError(temporaryFile: error)
    }
    runs.append(start..<start + held.count)
    held.removeAll(keepingCapacity: true)
  }
}

extension ImportError {
  fileprivate init(temporaryFile failure: IOFailure) {
    self.init(
      .unreadable,
      "cannot \(failure.operation == "open" ? "make" : failure.operation) a temporary file for the records to sort: "
        + "\(systemReason(failure.errorNumber)); set TMPDIR to a folder with room")
  }
}

/// Reads one sorted run of the file in pieces.
private struct RunReader {
  let file: OpenFile
  var rest: Range<Int>
  private var piece: [AppleSample] = []
  private var next = 0

  private static let pieceSamples = 4096

  init(file: OpenFile, rest: Range<Int>) {
    self.file = file
    self.rest = rest
  }

  var current: AppleSample? { next < piece.count ? piece[next] : nil }

  mutating func advance() throws(ImportError) {
    next += 1
    if next == piece.count { try refill() }
  }

  mutating func refill() throws(ImportError) {
    let count = min(Self.pieceSamples, rest.count)
    let stride = MemoryLayout<AppleSample>.stride
    let offset = rest.lowerBound * stride
    do throws(IOFailure) {
      var bytesRead = 0
      piece = try [AppleSample](unsafeUninitializedCapacity: count) {
        (buffer, filled) throws(IOFailure) in
        bytesRead = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        filled = bytesRead / stride
      }
      guard bytesRead == count * stride else {
        throw IOFailure("read", file.path, errorNumber: EIO)
      }
    } catch {
      throw ImportError(temporaryFile: error)
    }
    rest = rest.lowerBound + count..<rest.upperBound
    next = 0
  }
}

/// A usable record in 32 bytes without references, so that millions can be sorted and written to a
/// file as they are in memory.
struct AppleSample: BitwiseCopyable, Equatable {
  /// In the metric's unit; for sleep, the number of the stage.
  var value: Double
  /// Seconds since 1970 in UTC.
  var start: Int64
  var durationSeconds: UInt32
  var line: UInt32
  var offsetMinutes: Int16
  var source: UInt16
  var metric: UInt8
  /// Whether the file gives no offset and the ledger's zone was used.
  var isLocal: Bool

  var end: Int64 { start + Int64(durationSeconds) }
  var wallSeconds: Int { Int(start) + Int(offsetMinutes) * 60 }

  /// By metric, then start; exact repetitions are adjacent.
  static func isBefore(_ left: AppleSample, _ right: AppleSample) -> Bool {
    if left.metric != right.metric { return left.metric < right.metric }
    if left.start != right.start { return left.start < right.start }
    if left.durationSeconds != right.durationSeconds {
      return left.durationSeconds < right.durationSeconds
    }
    if left.source != right.source { return left.source < right.source }
    if left.value != right.value { return left.value < right.value }
    return left.line < right.line
  }

  /// Whether both are the same measurement.
  func repeats(_ other: AppleSample) -> Bool {
    metric == other.metric && start == other.start && durationSeconds == other.durationSeconds
      && source == other.source && value == other.value
  }
}
