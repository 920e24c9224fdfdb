import LedgerModel

/// Finds the one moment that each row means, or says why there is none.
///
/// A row has the readings that its text allows; each of these steps may only take readings away,
/// and a row counts when exactly one is left:
///
/// 1. the calendar: `13-04-2016` is 13 April, for there is no month 13;
/// 2. the window: data of the study cannot lie outside the time when it was collected;
/// 3. a weight's id, which is its moment in milliseconds;
/// 4. the order: a file whose rows ascend has no row that steps back (``AscendingOrder``).
///
/// Nothing looks at what most rows do, at neighbours' spelling, or at the quantities.
struct FitbitSettling {
  /// What settled a day, or AM and PM.
  enum Proof {
    case plain, window, logID, order
  }

  struct Settled {
    var moment: Moment
    var day: Proof
    var half: Proof
  }

  private struct Readings {
    var inWindow: [Moment]
    var afterLogID: [Moment]
  }

  let evidence: FitbitEvidence

  /// Each row's moment or fault, in the rows' order.
  func settle(_ rows: [FitbitRow]) -> [Result<Settled, RowFault>] {
    let all = rows.map { row in
      Result { () throws(RowFault) in try readings(of: row) }
    }
    let readable = all.compactMap { try? $0.get().afterLogID }
    let narrowed = evidence.isAscending ? AscendingOrder.narrow(readable) : nil
    var proven = (narrowed ?? readable).makeIterator()
    return zip(rows, all).map { row, result in
      result.flatMap { readings in
        let left = proven.next() ?? []
        guard let only = left.first, left.count == 1 else {
          return .failure(ambiguity(row, left, ordered: narrowed != nil))
        }
        return .success(
          Settled(moment: only, day: day(row, readings), half: half(row, readings)))
      }
    }
  }

  private func readings(of row: FitbitRow) throws(RowFault) -> Readings {
    let written = row.written
    let dates = written.dates.filter(evidence.window.contains)
    guard !dates.isEmpty else { throw outside(written) }
    var times = [written.time]
    if evidence.doubted.contains(written.spelling), let other = written.timeInOtherHalf {
      times.append(other)
    }
    let inWindow = dates.flatMap { date in times.map { Moment(date: date, time: $0) } }.sorted()
    guard let logID = row.logID else { return Readings(inWindow: inWindow, afterLogID: inWindow) }
    let agreeing = inWindow.filter(logID.agrees(with:))
    guard !agreeing.isEmpty else {
      throw RowFault(
        sentence: "the date is \(quoted(written.dateText)) and the time "
          + "\(quoted(written.timeText)), but the LogId stands for another moment")
    }
    return Readings(inWindow: inWindow, afterLogID: agreeing)
  }

  private func day(_ row: FitbitRow, _ readings: Readings) -> Proof {
    if row.written.dates.count == 1 { return .plain }
    if Set(readings.inWindow.map(\.date)).count == 1 { return .window }
    return Set(readings.afterLogID.map(\.date)).count == 1 ? .logID : .order
  }

  private func half(_ row: FitbitRow, _ readings: Readings) -> Proof {
    if Set(readings.inWindow.map(\.time)).count == 1 { return .plain }
    return Set(readings.afterLogID.map(\.time)).count == 1 ? .logID : .order
  }
}

extension FitbitSettling {
  private func outside(_ written: WrittenMoment) -> RowFault {
    let dates = written.dates.map(\.description).joined(separator: " or ")
    return RowFault(
      sentence: "the date \(quoted(written.dateText)) is \(dates), outside of "
        + "\(evidence.window.lowerBound) to \(evidence.window.upperBound), when the data was "
        + "collected; --from and --to say another span")
  }

  private func ambiguity(_ row: FitbitRow, _ left: [Moment], ordered: Bool) -> RowFault {
    let written = row.written
    let dates = Set(left.map(\.date)).sorted().map(\.description)
    let times = Set(left.compactMap(\.time)).sorted().map(\.description)
    var sentence: [String] = []
    if dates.count > 1 {
      sentence.append(
        "the date \(quoted(written.dateText)) is \(dates.joined(separator: " or "))")
    }
    if times.count > 1 {
      sentence.append(
        "the time \(quoted(written.timeText)) on \(quoted(written.dateText)) is "
          + "\(times.joined(separator: " or ")), for AM and PM are wrong in other rows with such "
          + "dates")
    }
    sentence.append(
      ordered
        ? "the rows around it allow each"
        : "the file's rows are not in ascending order, so their order does not settle it")
    return RowFault(sentence: sentence.joined(separator: "; "))
  }
}
