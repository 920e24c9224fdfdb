/// The system's random numbers, for ids and salts.
///
/// The standard library's `SystemRandomNumberGenerator` has size 0, so an `inout` argument of that
/// type has no valid address, and ThreadSanitizer reports false races on it or crashes.
public struct SystemEntropy: RandomNumberGenerator, Sendable {
  /// Gives it a size, and so an address.
  private let place: UInt8 = 0

  /// Has no state of its own.
  public init() {}

  /// 64 random bits.
  public mutating func next() -> UInt64 { .random(in: .min ... .max) }
}

/// The system's random numbers, fetched a block at a time: for many ids and salts in one run.
///
/// Not for a process that forks: both would continue with the same numbers.
package struct BufferedEntropy: RandomNumberGenerator {
  /// `getentropy` gives at most 256 bytes a call.
  private static let count = 32
  private var numbers = [UInt64](repeating: 0, count: count)
  private var used = count

  package init() {}

  package mutating func next() -> UInt64 {
    if used == Self.count { refill() }
    defer { used += 1 }
    return numbers[used]
  }

  private mutating func refill() {
    used = 0
    #if canImport(Darwin)
      numbers.withUnsafeMutableBytes { arc4random_buf($0.baseAddress!, $0.count) }
    #else
      let failed = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) != 0 }
      guard failed else { return }
      var system = SystemEntropy()
      for index in numbers.indices { numbers[index] = system.next() }
    #endif
  }
}
