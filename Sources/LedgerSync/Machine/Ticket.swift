/// What an answer or an alarm is matched to its question by.
public struct Ticket: Hashable, Sendable {
  let number: Int
}

/// Where tickets come from: each is given out once a run.
struct TicketRoll: Sendable {
  private var last = 0

  mutating func next() -> Ticket {
    last += 1
    return Ticket(number: last)
  }
}
