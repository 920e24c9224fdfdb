import Foundation
import LedgerKit

enum Log {
  static func lines(of directory: LedgerDirectory) throws -> [String] {
    let text = try String(contentsOfFile: directory.events, encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }
}
