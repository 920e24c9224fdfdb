import Foundation

/// A zip whose files are stored as they are, so that tests need no program to make one.
enum StoredZip {
  /// - Parameter isLocked: whether each file needs a password, which none opens.
  static func bytes(_ files: [(name: String, text: String)], isLocked: Bool = false) -> Data {
    var zip = Data()
    var directory = Data()
    for file in files {
      let name = Data(file.name.utf8)
      // A locked file begins with a header of 12 bytes.
      let lock = isLocked ? 12 : 0
      let content = Data(repeating: 0, count: lock) + Data(file.text.utf8)
      let start = zip.count
      var fields = Data()
      // Version, flags (names in UTF-8), method, time, date.
      for number in [20, isLocked ? 0x801 : 0x800, 0, 0, 0x5B5B] {
        fields.append(little: number, bytes: 2)
      }
      fields.append(little: Int(checksum(content)), bytes: 4)
      fields.append(little: content.count, bytes: 4)
      fields.append(little: content.count - lock, bytes: 4)
      fields.append(little: name.count, bytes: 2)
      fields.append(little: 0, bytes: 2)
      zip += Data("PK\u{3}\u{4}".utf8) + fields + name + content
      directory += Data("PK\u{1}\u{2}".utf8)
      directory.append(little: 20, bytes: 2)
      directory += fields
      directory.append(Data(repeating: 0, count: 10))
      directory.append(little: start, bytes: 4)
      directory += name
    }
    let start = zip.count
    zip += directory + Data("PK\u{5}\u{6}".utf8)
    for number in [0, 0, files.count, files.count] { zip.append(little: number, bytes: 2) }
    zip.append(little: directory.count, bytes: 4)
    zip.append(little: start, bytes: 4)
    zip.append(little: 0, bytes: 2)
    return zip
  }

  /// CRC-32 as zips have it.
  private static func checksum(_ bytes: Data) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}

extension Data {
  fileprivate mutating func append(little number: Int, bytes: Int) {
    for index in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }
}
