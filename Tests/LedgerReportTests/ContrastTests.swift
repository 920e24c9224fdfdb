import LedgerPlatform
import Testing

@testable import LedgerReport

/// Contrast as WCAG 2.2 counts it.
@Suite struct ContrastTests {
  private static let text = [
    Palette.ink, Palette.quiet, Palette.accent, Palette.good, Palette.waits, Palette.bad,
  ]
  /// Lines, points and bars.
  private static let marks = [
    Palette.accent, Palette.bar, Palette.dot, Palette.deep, Palette.core, Palette.rem,
    Palette.awake, Palette.line, Palette.good, Palette.waits, Palette.bad,
  ]

  @Test(
    "Text has a contrast of 4.5 and marks of 3 on every ground",
    arguments: [false, true])
  func lettersAndMarksStandOut(isDark: Bool) throws {
    for ground in [Palette.page, Palette.card] {
      let below = try luminance(ground, isDark)
      for colour in Self.text {
        let ratio = contrast(try luminance(colour, isDark), below)
        #expect(ratio >= 4.5, "\(colour.name) on \(ground.name): \(ratio)")
      }
      for colour in Self.marks {
        let ratio = contrast(try luminance(colour, isDark), below)
        #expect(ratio >= 3, "\(colour.name) on \(ground.name): \(ratio)")
      }
    }
  }

  @Test("Contrast is calculated as WCAG does")
  func countsAsTheStandardDoes() throws {
    let black = Palette.Colour(name: "black", light: "#000000", dark: "#000000")
    let white = Palette.Colour(name: "white", light: "#ffffff", dark: "#ffffff")
    let grey = Palette.Colour(name: "grey", light: "#767676", dark: "#767676")
    let over = try luminance(white, false)
    #expect(contrast(try luminance(black, false), over) == 21)
    #expect((4.54...4.55).contains(contrast(try luminance(grey, false), over)))
  }

  @Test("Every colour is defined in both schemes, and none is used undefined")
  func everyColourIsGivenInBothSchemes() {
    for isDark in [false, true] {
      let variables = Palette.variables(isDark: isDark)
      for colour in Palette.all { #expect(variables.contains("--\(colour.name):#")) }
    }
    // No colour is used that has no name here.
    let used = Stylesheet.text.split(separator: "var(--").dropFirst()
      .map { $0.prefix { $0 != ")" } }
    #expect(Set(used.map(String.init)) == Set(Palette.all.map(\.name)))
  }

  private func luminance(_ colour: Palette.Colour, _ isDark: Bool) throws -> Double {
    let digits = (isDark ? colour.dark : colour.light).dropFirst()
    let number = try #require(Int(digits, radix: 16))
    let parts = [number >> 16, number >> 8 & 255, number & 255].map { value in
      let share = Double(value) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private func contrast(_ one: Double, _ other: Double) -> Double {
    (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }
}
