/// The page's colours, each for a light and a dark screen. What they must be told apart from is
/// checked by a test: 4.5 to 1 for text, 3 to 1 for lines and bars.
enum Palette {
  struct Colour {
    let name: String
    let light: String
    let dark: String
  }

  static let page = Colour(name: "page", light: "#f7f6f3", dark: "#12161b")
  static let card = Colour(name: "card", light: "#ffffff", dark: "#1a2027")
  static let rule = Colour(name: "rule", light: "#dcdad4", dark: "#323b46")
  static let ink = Colour(name: "ink", light: "#1c2127", dark: "#e7eaee")
  static let quiet = Colour(name: "quiet", light: "#59616b", dark: "#a3adb9")
  static let accent = Colour(name: "accent", light: "#1f5f8b", dark: "#7db8e0")
  static let bar = Colour(name: "bar", light: "#4381a8", dark: "#5c97c0")
  static let dot = Colour(name: "dot", light: "#7d8894", dark: "#8b97a4")
  static let line = Colour(name: "line", light: "#b3471d", dark: "#f0996b")
  static let good = Colour(name: "good", light: "#2f7d5b", dark: "#5db48c")
  static let waits = Colour(name: "waits", light: "#875e00", dark: "#d9a441")
  static let bad = Colour(name: "bad", light: "#b3282d", dark: "#ef7d80")

  static let all = [page, card, rule, ink, quiet, accent, bar, dot, line, good, waits, bad]
  /// What letters are drawn in.
  static let text = [ink, quiet, accent, good, waits, bad]
  /// What lines, points and bars are drawn in.
  static let marks = [accent, bar, dot, line, good, waits, bad]
  /// What both lie on.
  static let grounds = [page, card]

  static func variables(isDark: Bool) -> String {
    all.map { "--\($0.name):\(isDark ? $0.dark : $0.light);" }.joined()
  }
}
