import Synchronization

/// A deterministic generator (SplitMix64).
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed }

  /// A random seed, for ids and salts that no test depends on. Unlike the standard library's
  /// generator it is not empty, which ThreadSanitizer needs.
  package init() { self.init(.random(in: .min ... .max)) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A ``SplitMix`` for several threads.
package final class SeededWords: Sendable {
  private let generator: Mutex<SplitMix>

  package init(seed: UInt64) { generator = Mutex(SplitMix(seed)) }

  package func next() -> UInt64 { generator.withLock { $0.next() } }
}
