/// The options of one command line with their values, in the order in which they were given.
///
/// A list and not a dictionary: few are given at once, and setting up a dictionary's type at run
/// time would cost a small append more than all of its parsing.
struct GivenOptions: Sendable {
  private var all: [(name: String, value: String)] = []

  /// - Parameter value: empty for a flag.
  mutating func add(_ name: String, _ value: String = "") { all.append((name, value)) }

  func has(_ name: String) -> Bool { all.contains { $0.name == name } }

  /// All values of an option, oldest first.
  func values(of name: String) -> [String] {
    all.compactMap { $0.name == name ? $0.value : nil }
  }
}
