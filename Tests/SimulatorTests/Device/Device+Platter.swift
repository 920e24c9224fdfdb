import LedgerLog
import LedgerModel

/// What the platter must have at any moment. A power cut would show the same, if it came right now and
/// took the worst: here no luck is needed.
extension Device {
  func checkPlatter() throws {
    guard !disk.isWrittenOverCut(directory.events) else {
      throw Violation(.cutIsDurable, "device \(name): \(log.count) bytes")
    }
    let platter = disk.platter(directory.events)
    guard platter.hasPrefix(acknowledged) || isErased(acknowledged, in: platter) else {
      throw Violation(
        .acknowledgedSurvives,
        "device \(name): of \(acknowledged.count) acknowledged bytes the platter has "
          + "\(platter.count), not all of them the same")
    }
  }

  /// What a full disk refused does not stand in the log. After a failed sync it may, since cutting it
  /// off is synced by a disk that has just failed to.
  func expectRefused(_ events: [Event], _ error: LogError) throws {
    guard case .io = error, !disk.hasEnded else { return }
    let new = log.dropFirst(acknowledged.count)
    for event in events where new.firstRange(of: Array(event.id.description.utf8)) != nil {
      throw Violation(.refusedIsAbsent, "device \(name): \(error), and event \(event.id) is there")
    }
  }
}
