import LedgerLog
import LedgerPlatform
import Synchronization

/// The pages of a snapshot, read and checked when something on them is asked for.
///
/// Whoever asks for an element gets one: in place of those of a page that cannot be read, or is not
/// whole, something harmless, and ``isBroken`` says from then on that no answer made of this snapshot counts. So the fold
/// and the views need not know that their columns may lie in a file.
final class SnapshotPages: Sendable {
  private let file: OpenFile
  private let seed: UInt64
  private let cache = Mutex(Cache())

  private struct Cache {
    var pages: [Int: [UInt8]] = [:]
    var broken: Set<Int> = []
    var isBroken = false
  }

  init(_ file: OpenFile, seed: UInt64) {
    self.file = file
    self.seed = seed
  }

  /// The identity of the open file, whatever its name is by now.
  var identity: FileIdentity? { try? file.identity() }

  /// Whether a page was asked for that is not what was written.
  var isBroken: Bool { cache.withLock { $0.isBroken } }

  /// Says that something on the pages cannot be what was written, though they are whole.
  func distrust() { cache.withLock { $0.isBroken = true } }

  /// The value that lies on a page; `nil` when the page is not whole.
  ///
  /// - Precondition: it ends before the page's sum.
  func value<Value: BitwiseCopyable & Sendable>(
    _ type: Value.Type, onPage number: Int, at offset: Int
  ) -> Value? {
    precondition(offset + MemoryLayout<Value>.size <= SnapshotPage.payloadBytes)
    return cache.withLock { cache in
      let page = page(number, &cache)
      if cache.isBroken, cache.broken.contains(number) { return nil }
      return page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
  }

  /// What a page holds; `nil` when it is not whole.
  func bytes(ofPage number: Int) -> [UInt8]? {
    let bytes = bytes(0..<SnapshotPage.payloadBytes, fromPage: number)
    return isBroken ? nil : bytes
  }

  /// Bytes that lie on pages one behind the other, counted from a first page's first byte.
  func bytes(_ range: Range<Int>, fromPage first: Int) -> [UInt8] {
    cache.withLock { cache in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(range.count)
      var offset = range.lowerBound
      while offset < range.upperBound {
        let (number, start) = offset.quotientAndRemainder(dividingBy: SnapshotPage.payloadBytes)
        let end = min(SnapshotPage.payloadBytes, start + range.upperBound - offset)
        bytes.append(contentsOf: page(first + number, &cache)[start..<end])
        offset += end - start
      }
      return bytes
    }
  }

  private func page(_ number: Int, _ cache: inout Cache) -> [UInt8] {
    if let page = cache.pages[number] { return page }
    var page = [UInt8](repeating: 0, count: SnapshotPage.bytes)
    let isWhole = page.withUnsafeMutableBytes { buffer in
      read(buffer, at: number)
        && SnapshotPage.isWhole(UnsafeRawBufferPointer(buffer), number: number, seed: seed)
    }
    if !isWhole {
      page = [UInt8](repeating: 0, count: SnapshotPage.bytes)
      cache.isBroken = true
      cache.broken.insert(number)
    }
    cache.pages[number] = page
    return page
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer, at number: Int) -> Bool {
    do throws(IOFailure) {
      return try file.read(into: buffer, at: number * SnapshotPage.bytes) == buffer.count
    } catch {
      return false
    }
  }

  /// Reads pages one behind the other, many at once, and gives what each holds.
  func forEach(
    _ numbers: Range<Int>, _ body: (_ payload: UnsafeRawBufferPointer) -> Void
  ) throws(SnapshotFault) {
    let atOnce = 256
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: atOnce * SnapshotPage.bytes, alignment: 64)
    defer { buffer.deallocate() }
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      let count = min(atOnce, numbers.upperBound - number)
      let window = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<(count * SnapshotPage.bytes)])
      guard read(window, at: number) else { throw SnapshotFault() }
      for index in 0..<count {
        let start = index * SnapshotPage.bytes
        let page = UnsafeRawBufferPointer(rebasing: window[start..<start + SnapshotPage.bytes])
        guard SnapshotPage.isWhole(page, number: number + index, seed: seed) else {
          throw SnapshotFault()
        }
        body(UnsafeRawBufferPointer(rebasing: page[..<SnapshotPage.payloadBytes]))
      }
      number += count
    }
  }
}
