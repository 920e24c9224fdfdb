/// What can be proven of rows that stand in ascending order.
enum AscendingOrder {
  /// Keeps, of each row's readings, those that some ascending choice of all rows takes.
  ///
  /// A row of which one reading is left is proven: every other one would have to step back against
  /// a row before it or behind it. Equal moments may follow one another.
  ///
  /// 1. The earliest choice takes in each row the first reading not before the row above. If a row
  ///    has none, no ascending choice exists.
  /// 2. The latest choice does the same from the end.
  /// 3. A reading is part of an ascending choice exactly when it is not before the earliest of the
  ///    row above and not after the latest of the row below: earliest rows above, it, latest below.
  ///
  /// - Parameter rows: the readings of each row in the file's order, each row with one or more.
  /// - Returns: `nil` when the rows cannot be in ascending order, so that order proves nothing.
  static func narrow<Reading: Comparable>(_ rows: [[Reading]]) -> [[Reading]]? {
    guard let earliest = earliest(rows, { $0 < $1 }),
      let latest = earliestReversed(rows)
    else { return nil }
    return rows.indices.map { index in
      rows[index].filter { reading in
        (index == 0 || reading >= earliest[index - 1])
          && (index == rows.count - 1 || reading <= latest[index + 1])
      }
    }
  }

  private static func earliest<Reading>(
    _ rows: some Collection<[Reading]>, _ isBefore: (Reading, Reading) -> Bool
  ) -> [Reading]? {
    var choice: [Reading] = []
    choice.reserveCapacity(rows.count)
    for readings in rows {
      let allowed = readings.filter { reading in
        choice.last.map { !isBefore(reading, $0) } ?? true
      }
      guard let first = allowed.min(by: isBefore) else { return nil }
      choice.append(first)
    }
    return choice
  }

  private static func earliestReversed<Reading: Comparable>(_ rows: [[Reading]]) -> [Reading]? {
    earliest(rows.reversed(), { $0 > $1 })?.reversed()
  }
}
