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
