/// The candidates a person most likely meant by `word`: those at the smallest distance that is
/// still plausible for a slip of the fingers, at most three, in their given order.
///
/// Case, `-` and `_` do not count; an unfinished word counts as one slip, and so does a part for the
/// whole, such as `health` for `apple-health`.
package func nearest(to word: String, among candidates: [String]) -> [String] {
  let typed = comparable(word)
  // One letter resembles everything, and a novel resembles nothing.
  guard (2...64).contains(typed.count) else { return [] }
  let threshold = typed.count <= 4 ? 1 : typed.count <= 8 ? 2 : 3
  var best = threshold
  var found: [String] = []
  for candidate in candidates {
    let distance = slips(from: typed, to: candidate, limit: best)
    if distance > best { continue }
    if distance < best { found = [] }
    best = distance
    if !found.contains(candidate) { found.append(candidate) }
  }
  return Array(found.prefix(3))
}

private func comparable(_ word: String) -> [Unicode.Scalar] {
  word.lowercased().unicodeScalars.filter { $0 != "-" && $0 != "_" }
}

private func slips(from typed: [Unicode.Scalar], to candidate: String, limit: Int) -> Int {
  let target = comparable(candidate)
  if typed == target { return 0 }
  if target.starts(with: typed) { return 1 }
  let parts = candidate.lowercased().split { $0 == "-" || $0 == "_" || $0 == "." }
  if typed.count > 2, parts.contains(where: { $0.unicodeScalars.elementsEqual(typed) }) {
    return 1
  }
  if abs(typed.count - target.count) > limit { return limit + 1 }
  return editDistance(typed, target)
}

/// Damerau and Levenshtein's distance in its restricted form: insertions, deletions,
/// substitutions and swaps of neighbours, each one slip.
func editDistance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
  if first.isEmpty || second.isEmpty { return max(first.count, second.count) }
  var beforePrevious: [Int] = []
  var previous = Array(0...second.count)
  for row in 1...first.count {
    var current = [row]
    current.reserveCapacity(second.count + 1)
    for column in 1...second.count {
      let same = first[row - 1] == second[column - 1]
      var cost = min(
        previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (same ? 0 : 1))
      let swapped =
        row > 1 && column > 1 && first[row - 1] == second[column - 2]
        && first[row - 2] == second[column - 1]
      if swapped { cost = min(cost, beforePrevious[column - 2] + 1) }
      current.append(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[second.count]
}
