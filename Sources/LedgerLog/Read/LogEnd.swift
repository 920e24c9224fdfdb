/// What the next writer will find at a log's end, and do about it (docs/log-format.md, Recovery); only
/// looked at here.
public enum LogEnd: Hashable, Sendable {
  /// Everything ends at `head`, or `head` is missing and everything is whole.
  case whole
  /// So many whole events stand behind `head`: they will be made durable.
  case adoptable(events: Int)
  /// The last bytes are a crash's remains: they will be set aside.
  case torn(bytes: Int)

  /// Reads what stands behind `head`; without a `head`, the whole log.
  ///
  /// - Parameter view: one taken while nobody appends.
  /// - Throws: damage that no crash of ours can have left, which the next writer will refuse.
  public static func look(at view: LogView) throws(LogError) -> LogEnd {
    let size = view.endBytes + view.tornTailBytes
    switch try Recovery.step(for: view.file, head: view.head, size: size) {
    case .nothing: return .whole
    case .adopt(let end):
      guard let head = view.head else { return .whole }
      return .adoptable(events: end.seq - head.seq)
    case .cut(_, let bytes): return .torn(bytes: bytes)
    }
  }
}
