/// The system's chance, for ids and salts.
///
/// The standard library's `SystemRandomNumberGenerator` has no bytes, so that one handed on as
/// `inout` has no address: whatever stands in the register is taken for it. ThreadSanitizer, told of
/// an access there, sees races where there are none, or ends by a signal.
public struct SystemEntropy: RandomNumberGenerator, Sendable {
  /// What gives it an address.
  private let place: UInt8 = 0

  /// Has no state: any two draw from the same source.
  public init() {}

  /// 64 random bits.
  public mutating func next() -> UInt64 { .random(in: .min ... .max) }
}
