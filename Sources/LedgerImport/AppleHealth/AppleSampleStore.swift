import LedgerModel
import LedgerPlatform

/// Sorts any number of samples within a fixed amount of memory: what is beyond it goes, sorted, into
/// a temporary file that has no name and is gone with the process.
final class AppleSampleStore {
  private let capacity: Int
  private var held: [AppleSample] = []
  /// The runs in the file, by their places, in samples.
  private var runs: [Range<Int>] = []
  private var file: OpenFile?

  private static let stride = MemoryLayout<AppleSample>.stride

  /// - Parameter capacity: how many samples are held in memory: 32 bytes each.
  init(capacity: Int = 400_000) {
    self.capacity = max(1, capacity)
  }

  func append(_ sample: AppleSample) throws(ImportError) {
    if held.isEmpty { held.reserveCapacity(min(capacity, 65_536)) }
    held.append(sample)
    if held.count == capacity { try spill() }
  }

  /// Gives all samples in order, once.
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
    // There are few runs, so the least is found by looking at all.
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
      let file = if let file { file } else { try Self.makeUnnamedFile() }
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

  /// Removed from its folder at once: only this process can reach it, and no crash leaves it behind.
  private static func makeUnnamedFile() throws(IOFailure) -> OpenFile {
    let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let name = "ledger-import-\(UInt64.random(in: 0 ... .max))"
    do throws(IOFailure) {
      let file = try OpenFile("\(given.isEmpty ? "/tmp" : given)/\(name)", .create)
      unlink(file.path)
      return file
    } catch {
      throw IOFailure("make", error.path, errorNumber: error.errorNumber)
    }
  }
}

extension ImportError {
  fileprivate init(temporaryFile failure: IOFailure) {
    self.init(
      .unreadable,
      "cannot \(failure.operation) a temporary file for the records to sort: "
        + "\(systemReason(failure.errorNumber)); set TMPDIR to a folder with room")
  }
}

/// One sorted run of the file, a piece at a time.
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

/// One record that counts, in 32 bytes and without references, so that millions can be sorted and
/// set aside as they lie in memory.
struct AppleSample: BitwiseCopyable, Equatable {
  /// In the metric's own unit; of sleep, 1 for asleep and 0 for awake.
  var value: Double
  /// Seconds since 1970 in UTC.
  var start: Int64
  var durationSeconds: UInt32
  var line: UInt32
  var offsetMinutes: Int16
  var source: UInt16
  var metric: UInt8
  /// Whether the file names no offset, and the ledger's zone was taken.
  var isLocal: Bool

  var end: Int64 { start + Int64(durationSeconds) }
  var wallSeconds: Int { Int(start) + Int(offsetMinutes) * 60 }

  /// The order that everything behind it relies on: a metric's samples by their beginnings, exact
  /// repetitions next to one another.
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

  /// Whether the same measurement stands there twice.
  func repeats(_ other: AppleSample) -> Bool {
    metric == other.metric && start == other.start && durationSeconds == other.durationSeconds
      && source == other.source && value == other.value
  }
}
