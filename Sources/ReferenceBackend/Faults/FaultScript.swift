/// The faults of a running backend, and how many requests each has seen.
struct FaultScript: Sendable {
  private var faults: [(fault: Fault, seen: Int)]

  init(_ faults: [Fault]) {
    self.faults = faults.map { (fault: $0, seen: 0) }
  }

  /// The first fault, in the order given, that this request triggers. All that match count it, so
  /// that N is the number of the request whatever happened to those before.
  mutating func next(for request: HTTPRequest) -> Fault? {
    var triggered: Fault?
    for index in faults.indices {
      let fault = faults[index].fault
      guard fault.matches(method: request.method, segments: request.target.segments) else {
        continue
      }
      faults[index].seen += 1
      guard triggered == nil, fault.occurrence.map({ $0 == faults[index].seen }) ?? true else {
        continue
      }
      triggered = fault
    }
    return triggered
  }
}
