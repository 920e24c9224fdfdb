/// The system's random numbers, for ids and salts.
///
/// The standard library's `SystemRandomNumberGenerator` has size 0, so an `inout` argument of that
/// type has no valid address, and ThreadSanitizer reports false races on it or crashes.
package struct SystemEntropy: RandomNumberGenerator, Sendable {
  /// Gives it a size, and so an address.
  private let place: UInt8 = 0

  /// Has no state of its own.
  package init() {}

  /// 64 random bits.
  package mutating func next() -> UInt64 { .random(in: .min ... .max) }
}

/// As ``SystemEntropy``, for many numbers: it asks the system for 32 at once.
///
/// A class, since a copied buffer would give the same numbers again.
package final class BufferedEntropy: RandomNumberGenerator {
  private var numbers: [UInt64] = []
  private var place = 0

  package init() {}

  package func next() -> UInt64 {
    if place == numbers.count { (numbers, place) = (Self.filled(), 0) }
    defer { place += 1 }
    return numbers[place]
  }

  private static func filled() -> [UInt64] {
    var numbers = [UInt64](repeating: 0, count: 32)
    numbers.withUnsafeMutableBytes { bytes in
      #if canImport(Darwin)
        arc4random_buf(bytes.baseAddress, bytes.count)
      #else
        precondition(getentropy(bytes.baseAddress, bytes.count) == 0, "the system has entropy")
      #endif
    }
    return numbers
  }
}
