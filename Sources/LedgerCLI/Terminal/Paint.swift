/// Colours that vanish where nobody can see them.
package struct Paint: Sendable, Equatable {
  package enum Style: String, Sendable, CaseIterable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  package let isOn: Bool

  package static let plain = Paint(isOn: false)

  package init(isOn: Bool) {
    self.isOn = isOn
  }

  /// What `--color` says; left to us, a terminal that can, whose owner did not decline.
  init(
    _ color: ConsoleSettings.Color, isTerminal: Bool,
    _ environment: (String) -> String?
  ) {
    switch color {
    case .always: isOn = true
    case .never: isOn = false
    case .auto:
      let declined = !(environment("NO_COLOR") ?? "").isEmpty
      isOn = isTerminal && !declined && environment("TERM") != "dumb"
    }
  }

  package func apply(_ style: Style?, _ text: String) -> String {
    guard isOn, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  package func bold(_ text: String) -> String { apply(.bold, text) }
  package func dim(_ text: String) -> String { apply(.dim, text) }
  package func red(_ text: String) -> String { apply(.red, text) }
  package func green(_ text: String) -> String { apply(.green, text) }
  package func yellow(_ text: String) -> String { apply(.yellow, text) }
  package func cyan(_ text: String) -> String { apply(.cyan, text) }
}
