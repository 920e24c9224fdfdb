import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Both readers of the verifier report the same about any window.
struct FastVerifyTests {
  private static let log = SampleLog(
    (1...12).map { seq in
      var line = PlainLine(seq: String(seq))
      switch seq % 6 {
      case 1 where seq == 1: (line.by, line.type) = ("system", "ledger.created")
      case 0: (line.type, line.data) = ("event.erased", #"{"event":2,"reason":"x"}"#)
      case 2: (line.type, line.data) = ("progress.deleted", #"{"entry":"a","b":[1,{"c":null}]}"#)
      case 3: (line.type, line.data) = ("sync.rejected", #"{"é":"\u00e9 💪","n":-1.5e3}"#)
      case 4: (line.type, line.data) = ("progress.logged", #"{"a":{"a":{"a":{"a":1}}}}"#)
      default: break
      }
      return line
    })

  @Test(
    "Both readers report the same for mutated logs",
    arguments: [0xFA57, 0x10AD, .random(in: 0 ... .max)] as [UInt64])
  func sameFindings(seed: UInt64) throws {
    var random = SplitMix(seed)
    let original = Self.log.bytes
    #expect(Self.findings(original, isFast: true).damage == nil)
    for round in 0..<TestSize.of(250, full: 3_000) {
      var bytes = original
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(Array(#"{}[]",:\0e"#.utf8).randomElement(using: &random)!, at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
        }
      }
      guard let last = bytes.lastIndex(of: 0x0A) else { continue }
      bytes.removeSubrange((last + 1)...)
      let fast = Self.findings(bytes, isFast: true)
      let plain = Self.findings(bytes, isFast: false)
      let place: Comment = "seed \(seed), round \(round)"
      #expect(fast.damage == plain.damage, place)
      #expect(fast.verifier.scan.position == plain.verifier.scan.position, place)
      #expect(fast.verifier.scan.offsetBytes == plain.verifier.scan.offsetBytes, place)
      #expect(fast.verifier.erasures.problems == plain.verifier.erasures.problems, place)
    }
  }

  @Test(
    "Line 1 must be ledger.created",
    arguments: ["sync.rejected", "progress.logged", "profile.updated", "other.kind"])
  func lineOneMustBeTheCreation(type: String) {
    let bytes = SampleLog([PlainLine(by: "sync", type: type), PlainLine(seq: "2")]).bytes
    let fast = Self.findings(bytes, isFast: true)
    #expect(fast.damage?.line == 1)
    #expect(fast.damage?.problem == "line 1 is not ledger.created")
    #expect(fast.damage == Self.findings(bytes, isFast: false).damage)
  }

  private static func findings(
    _ bytes: [UInt8], isFast: Bool
  ) -> (verifier: Verifier, damage: Damage?) {
    var verifier = Verifier(matching: nil)
    verifier.isFast = isFast
    let padded = bytes + [UInt8](repeating: 0x22, count: FastFront.reachBytes)
    do throws(LogError) {
      try padded.withUnsafeBufferPointer { buffer throws(LogError) in
        try verifier.read(UnsafeRawBufferPointer(buffer).bytes, lineBytes: bytes.count, at: 0)
      }
      return (verifier, nil)
    } catch {
      guard case .damaged(let damage) = error else { return (verifier, nil) }
      return (verifier, damage)
    }
  }
}
