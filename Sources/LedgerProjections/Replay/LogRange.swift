import LedgerLog
import LedgerModel

/// A part of the log that is read alone: from a line's start to another's.
struct LogRange: Sendable {
  var start: Int
  var end: Int
  /// What the first line must follow: it stands in the line before.
  var position: ChainPosition

  static func split(_ view: LogView, into count: Int) throws(LogError) -> [LogRange] {
    var stretches = [LogRange(start: 0, end: view.endBytes, position: .start)]
    for index in 1..<max(count, 1) {
      let target = view.endBytes / count * index
      guard let cut = try cut(view, before: target), cut.offsetBytes > stretches.last!.start
      else { continue }
      stretches[stretches.count - 1].end = cut.offsetBytes
      stretches.append(
        LogRange(start: cut.offsetBytes, end: view.endBytes, position: cut.position))
    }
    return stretches
  }

  /// Nothing begins at a line that is damaged: the stretch before it goes on, and finds that out.
  private static func cut(
    _ view: LogView, before target: Int
  ) throws(LogError) -> (position: ChainPosition, offsetBytes: Int)? {
    do throws(LogError) {
      return try view.position(before: target)
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }
}
