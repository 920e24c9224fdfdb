/// What an answer or an alarm is matched to its question by.
public struct RequestID: Hashable, Sendable {
  let number: Int
}

/// Where tickets come from: each is given out once a run.
struct RequestIDGenerator: Sendable {
  private var last = 0

  mutating func next() -> RequestID {
    last += 1
    return RequestID(number: last)
  }
}
