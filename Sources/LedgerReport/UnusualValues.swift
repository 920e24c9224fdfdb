import LedgerModel

/// Finds values far from the values around them: typing errors, wrong units, exceptional days.
enum UnusualValues {
  /// How many values before and after one are compared with it.
  private static let neighbours = 7
  /// Fewer values do not show what is usual.
  private static let fewest = 10
  /// Standard deviations. Of values that vary normally, one in two million is further away.
  private static let limit = 5.0
  /// If more than this share is far away, the values vary that much, and none is unusual.
  private static let mostShare = 0.05

  /// The places of the unusual values, ascending.
  ///
  /// A value's distance is that from the median of its neighbours, which one wrong value does not
  /// move. Distances are normal up to some multiple of their median, or of their mean where that is
  /// more, because most values equal their neighbours.
  static func places(in values: [Double]) -> [Int] {
    guard values.count >= fewest else { return [] }
    let distances = zip(values, movingMedians(values)).map { ($0 - $1).magnitude }
    let mean = distances.reduce(0, +) / Double(distances.count)
    // The factors estimate the standard deviation of a normal distribution.
    let spread = max(1.4826 * median(distances), 1.2533 * mean)
    // Half a percent is no change.
    let least = median(values).magnitude * 0.005
    let places = distances.indices.filter { distances[$0] > limit * max(spread, least) }
    return places.count > max(1, Int(Double(values.count) * mostShare)) ? [] : places
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[sorted.count / 2]
  }

  /// For each value the median of it and its neighbours.
  private static func movingMedians(_ values: [Double]) -> [Double] {
    // Kept sorted, so that a step costs one removal and one insertion.
    var window: [Double] = []
    var added = 0
    return values.indices.map { place in
      while added < min(values.count, place + neighbours + 1) {
        window.insert(values[added], at: window.partitioningIndex { $0 >= values[added] })
        added += 1
      }
      if place > neighbours {
        let left = values[place - neighbours - 1]
        window.remove(at: window.partitioningIndex { $0 >= left })
      }
      return window[window.count / 2]
    }
  }
}
