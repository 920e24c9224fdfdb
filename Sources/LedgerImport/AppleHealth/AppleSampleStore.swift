import LedgerPlatform

/// Sorts any number of samples within a fixed amount of memory: what is beyond it goes, sorted, into
/// a temporary file that has no name and is gone with the process.
final class AppleSampleStore {
  private let capacity: Int
  private var held: [AppleSample] = []
  /// The runs in the file, by their places, in samples.
  private var runs: [Range<Int>] = []
  private var file: Int32 = -1

  private static let stride = MemoryLayout<AppleSample>.stride

  /// - Parameter capacity: how many samples are held in memory: 32 bytes each.
  init(capacity: Int = 400_000) {
    self.capacity = max(1, capacity)
  }

  deinit {
    if file >= 0 { close(file) }
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
    if file < 0 { file = try Self.nameless() }
    let start = runs.last?.upperBound ?? 0
    let failure = held.withUnsafeBytes { Self.writeAll($0, to: file, at: start * Self.stride) }
    guard failure == 0 else { throw Self.failure("write", failure) }
    runs.append(start..<start + held.count)
    held.removeAll(keepingCapacity: true)
  }

  /// Only this process can reach it, and no crash leaves it behind.
  private static func nameless() throws(ImportError) -> Int32 {
    let wished = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let folder = wished.isEmpty ? "/tmp" : wished
    var name = Array("\(folder)/ledger-import-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw failure("make", errno) }
    unlink(name)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }

  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int)
    -> Int32
  {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let wrote = pwrite(file, base + done, bytes.count - done, off_t(offset + done))
      if wrote < 0, errno == EINTR { continue }
      if wrote <= 0 { return wrote < 0 ? errno : EIO }
      done += wrote
    }
    return 0
  }

  fileprivate static func failure(_ verb: String, _ number: Int32) -> ImportError {
    ImportError(
      .unreadable,
      "cannot \(verb) a temporary file for the records to sort: \(systemReason(number)); "
        + "set TMPDIR to a folder with room")
  }
}

/// One sorted run of the file, a piece at a time.
private struct RunReader {
  let file: Int32
  var rest: Range<Int>
  private var piece: [AppleSample] = []
  private var next = 0

  private static let pieceSamples = 4096

  init(file: Int32, rest: Range<Int>) {
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
    var failure: Int32 = 0
    let from = rest.lowerBound
    piece = [AppleSample](unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var done = 0
      while done < count * stride, let base = bytes.baseAddress {
        let got = pread(file, base + done, count * stride - done, off_t(from * stride + done))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else {
          failure = got < 0 ? errno : EIO
          break
        }
        done += got
      }
      filled = done / stride
    }
    guard failure == 0 else { throw AppleSampleStore.failure("read", failure) }
    rest = from + count..<rest.upperBound
    next = 0
  }
}
