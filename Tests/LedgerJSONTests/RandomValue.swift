import LedgerJSON
import LedgerTestSupport

/// Random values that a log may hold.
struct RandomValue {
  var generator: SplitMix

  init(seed: UInt64) { generator = SplitMix(seed) }

  mutating func value(depth: Int = 0) -> JSONValue {
    switch Int.random(in: 0..<(depth < 7 ? 8 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2, 3: return .number(number())
    case 4: return .string(text())
    case 5: return .array((0..<count()).map { _ in value(depth: depth + 1) })
    default:
      // The index makes names distinct for readers that compare them by canonical equivalence.
      let members = (0..<count()).map { index in
        JSONObject.Member(name: "\(index)" + text(), value: value(depth: depth + 1))
      }
      return .object(JSONObject(members: members))
    }
  }

  mutating func text() -> String {
    // Without U+FEFF, which Foundation drops from the start of a string.
    let planes: [ClosedRange<UInt32>] = [
      0...0x7F, 0x20...0x7E, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFF,
      0x10000...0x10FFFF,
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      let plane = planes.randomElement(using: &generator)!
      text.append(Unicode.Scalar(UInt32.random(in: plane, using: &generator))!)
    }
    return String(text)
  }

  private mutating func count() -> Int { Int.random(in: 0...5, using: &generator) }

  private mutating func number() -> Double {
    let bounds: ClosedRange<Int64> = -999_999_999_999_999...999_999_999_999_999
    let digits = Double(Int64.random(in: bounds, using: &generator))
    let scales: [Double] = [1, 10, 1e3, 1e7, 1e12, 1e15, 1e20]
    return JSONNumber.writable(digits / scales.randomElement(using: &generator)!) ?? 0
  }
}
