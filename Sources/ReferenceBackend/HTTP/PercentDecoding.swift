/// The text that `bytes` stand for once each `%XX` is one byte; nil for a bad escape or bad UTF-8.
func percentDecoded(_ bytes: some Sequence<UInt8>) -> String? {
  var decoded: [UInt8] = []
  var iterator = bytes.makeIterator()
  while let byte = iterator.next() {
    guard byte == UInt8(ascii: "%") else {
      decoded.append(byte)
      continue
    }
    guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit)
    else { return nil }
    decoded.append(high << 4 | low)
  }
  return String(validating: decoded, as: UTF8.self)
}

/// The value of one hexadecimal digit in either case.
func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
