import CSHA256
import LedgerTestSupport
import Testing

/// Every path this build and this processor have. The portable one is always among them, so a
/// machine without SHA-256 instructions still runs every test, on one path.
private let availablePaths: [csha256_path] = [CSHA256_PORTABLE, CSHA256_SHANI, CSHA256_ARMV8]
  .filter { csha256_path_available($0) }

/// One seed that never changes and one that is new in every run. A failure names the seed; put it
/// in this list to see the same failure again.
private let seeds: [UInt64] = [0x5eed, .random(in: .min ... .max)]

extension SplitMix {
  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}

private func digest(_ path: csha256_path, _ bytes: some Collection<UInt8>) -> [UInt8] {
  let contiguous = Array(bytes)
  var result = [UInt8](repeating: 0, count: 32)
  csha256_digest_with(path, contiguous, contiguous.count, &result)
  return result
}

private func hex(_ digest: [UInt8]) -> String {
  var characters = [UInt8](repeating: 0, count: 64)
  csha256_hex(digest, &characters)
  return String(decoding: characters, as: UTF8.self)
}

/// A digest in hexadecimal without the code under test.
private func plainHex(_ digest: [UInt8]) -> [UInt8] {
  let alphabet = Array("0123456789abcdef".utf8)
  return digest.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }
}

private struct Link {
  var previous: [UInt8]
  var front: [UInt8]
  var body: [UInt8]

  /// The link's hash as its definition says, put together from plain digests.
  var expected: [UInt8] {
    let bodyHex = plainHex(digest(CSHA256_PORTABLE, body))
    return plainHex(digest(CSHA256_PORTABLE, previous + front + bodyHex))
  }

  var hash: [UInt8] {
    var result = [UInt8](repeating: 0, count: 64)
    csha256_chain_link(previous, front, front.count, body, body.count, &result)
    return result
  }

}

/// Links as they are stored, one after the other, with the places of their parts.
private struct StoredLinks {
  private(set) var bytes: [UInt8] = []
  private(set) var links: [csha256_stored_link] = []

  init(_ links: [Link]) {
    for link in links {
      let previous = append(link.previous)
      let front = append(link.front)
      let body = append(link.body)
      let hash = append(link.expected)
      self.links.append(
        csha256_stored_link(
          previous_hex: previous, front: front, body: body, body_end: hash, hash_hex: hash))
    }
  }

  private mutating func append(_ part: [UInt8]) -> UInt32 {
    defer { bytes += part }
    return UInt32(bytes.count)
  }

  /// - Parameter changed: the offset of a byte to be changed first.
  func hold(changing changed: Int? = nil) -> Bool {
    var bytes = bytes
    if let changed { bytes[changed] ^= 1 }
    return csha256_chain_holds(bytes, links, links.count)
  }
}

private let zeroHash = [UInt8](repeating: UInt8(ascii: "0"), count: 64)

@Suite("SHA256")
struct SHA256Tests {
  struct Vector: Sendable {
    let message: String
    let digest: String
  }

  /// The messages and digests that NIST publishes beside FIPS 180-4.
  static let vectors = [
    Vector(
      message: "", digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector(
      message: "abc", digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Vector(
      message: "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      digest: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    Vector(
      message: String(repeating: "a", count: 1_000_000),
      digest: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test("The standard's examples come out on every path")
  func standardVectors() {
    for vector in Self.vectors {
      let message = Array(vector.message.utf8)
      for path in availablePaths {
        #expect(hex(digest(path, message)) == vector.digest, "path \(path)")
      }
      var current = [UInt8](repeating: 0, count: 32)
      csha256_digest(message, message.count, &current)
      #expect(hex(current) == vector.digest)
    }
  }

  @Test("The current path is available, and the portable one always is")
  func paths() {
    #expect(csha256_path_available(csha256_current_path()))
    #expect(csha256_path_available(CSHA256_PORTABLE))
    #expect(!csha256_path_available(csha256_path(rawValue: 3)))
  }

  @Test("Every length around the block boundaries agrees across paths")
  func shortLengths() {
    var generator = SplitMix(1)
    let bytes = generator.bytes(200)
    for length in 0...200 {
      let message = Array(bytes[..<length])
      let expected = digest(CSHA256_PORTABLE, message)
      for path in availablePaths {
        #expect(digest(path, message) == expected, "path \(path), length \(length)")
      }
    }
  }

  @Test("Random lengths at random alignments agree across paths", arguments: seeds)
  func randomMessages(seed: UInt64) {
    var generator = SplitMix(seed)
    let bytes = generator.bytes(10_000)
    for round in 0..<300 {
      let start = Int.random(in: 0..<64, using: &generator)
      let length = Int.random(in: 0...(bytes.count - start), using: &generator)
      let message = Array(bytes[start..<start + length])
      let expected = digest(CSHA256_PORTABLE, message)
      let place: Comment = "seed \(seed), round \(round), start \(start), length \(length)"
      for path in availablePaths {
        var inPlace = [UInt8](repeating: 0, count: 32)
        bytes.withUnsafeBytes { all in
          csha256_digest_with(path, all.baseAddress! + start, length, &inPlace)
        }
        #expect(inPlace == expected, place)
      }
    }
  }

  /// The shape of NIST's Monte Carlo test: each digest is of the three before it, so that one
  /// wrong bit anywhere changes the last. The expected value was computed with another program.
  @Test("A long chain of digests of digests ends in the same place on every path")
  func iteratedDigests() {
    for path in availablePaths {
      let first = digest(path, "ledger".utf8)
      var last = [first, first, first]
      for _ in 0..<10_000 {
        last = [last[1], last[2], digest(path, last.joined())]
      }
      let expected = "0a3b0a0a19aabe70aed69bc664f28eba932f610bd77d8ad4ea02242a89d408c1"
      #expect(hex(last[2]) == expected, "path \(path)")
    }
  }

  @Test("Hexadecimal is lower-case and right for every byte")
  func hexadecimal() {
    for start in stride(from: 0, to: 256, by: 32) {
      let bytes = (start..<start + 32).map { UInt8($0) }
      #expect(Array(hex(bytes).utf8) == plainHex(bytes))
    }
  }
}

@Suite("SHA256 chain links")
struct SHA256ChainTests {
  /// The expected hashes were computed with another program.
  @Test("Known links come out")
  func knownLinks() {
    let empty = Link(previous: zeroHash, front: [], body: [])
    #expect(
      String(decoding: empty.hash, as: UTF8.self)
        == "a52a21f725cb0dd2daf7c11bd583b94248c564712c1daa5b86d30cb17847aa11")
    let small = Link(
      previous: zeroHash, front: Array("{\"seq\":1}".utf8), body: Array("{}".utf8))
    #expect(
      String(decoding: small.hash, as: UTF8.self)
        == "4848f681697d92c9d50aa3b6e3f1a9b767f559d5205dcdcee1d4d136db507101")
  }

  /// The hash is written over the previous one, as a program that only checks a log may do.
  @Test("A chain of a thousand links of many sizes ends in the known hash, computed in place")
  func chainInPlace() {
    var hash = zeroHash
    for number in 0..<1000 {
      let front = [UInt8](repeating: UInt8(ascii: "f"), count: number % 301)
      let body = [UInt8](repeating: UInt8(ascii: "b"), count: number * 7 % 601)
      hash.withUnsafeMutableBufferPointer { hash in
        csha256_chain_link(
          hash.baseAddress, front, front.count, body, body.count, hash.baseAddress)
      }
    }
    #expect(
      String(decoding: hash, as: UTF8.self)
        == "ee3cdb409769a6de4ccda9319ad67a4f0a1a9c5a44fcd5142c74883a72f0305c")
  }

  /// Sizes on both sides of every place where the padding needs one block more.
  static let sizes = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 130, 184, 247, 248, 250, 600]

  @Test("One link is the composition of plain digests, for sizes around the block boundaries")
  func boundaries() {
    var generator = SplitMix(2)
    let previous = plainHex(generator.bytes(32))
    let bytes = generator.bytes(1200)
    for front in Self.sizes {
      for body in Self.sizes {
        let link = Link(
          previous: previous, front: Array(bytes[..<front]), body: Array(bytes[600..<600 + body]))
        #expect(link.hash == link.expected, "front \(front), body \(body)")
      }
    }
  }

  @Test("Stored links hold as they were computed, and a changed byte breaks them", arguments: seeds)
  func storedLinks(seed: UInt64) {
    var generator = SplitMix(seed)
    for round in 0..<200 {
      let count = Int.random(in: 1...5, using: &generator)
      let links = (0..<count).map { _ in Self.randomLink(&generator) }
      let place: Comment = "seed \(seed), round \(round)"
      for link in links { #expect(link.hash == link.expected, place) }
      let stored = StoredLinks(links)
      #expect(stored.hold(), place)
      let changed = Int.random(in: stored.bytes.indices, using: &generator)
      #expect(!stored.hold(changing: changed), "\(place), byte \(changed)")
    }
  }

  /// Mostly sizes as in a log, at times none at all or many blocks more than the other link has.
  private static func randomLink(_ generator: inout SplitMix) -> Link {
    let bodySizes = [0...0, 150...350, 150...350, 0...2000]
    let frontSizes = [0...0, 90...170, 90...170, 0...1000]
    let front = Int.random(in: frontSizes.randomElement(using: &generator)!, using: &generator)
    let body = Int.random(in: bodySizes.randomElement(using: &generator)!, using: &generator)
    return Link(
      previous: plainHex(generator.bytes(32)), front: generator.bytes(front),
      body: generator.bytes(body))
  }
}
