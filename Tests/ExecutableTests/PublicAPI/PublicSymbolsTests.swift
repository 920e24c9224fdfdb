import Foundation
import LedgerTestSupport
import Testing

/// A change of what an app can use is a decision: it changes PublicSymbols.txt, which
/// `LEDGER_WRITE_SYMBOLS=1 swift test --filter PublicSymbolsTests` writes anew.
@Suite(
  .blocks,
  .enabled(
    if: PublicSymbols.canBeRead,
    "SKIPPED: the public API was not compared; it needs `swift symbolgraph-extract` and Linux"))
struct PublicSymbolsTests {
  private static let symbols = Result { try PublicSymbols().symbols }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("The symbols that an app can use are those of PublicSymbols.txt")
  func list() throws {
    let lines = try Self.symbols.get().map(\.line)
    let file = Self.root.appending(path: "PublicSymbols.txt")
    if ProcessInfo.processInfo.environment["LEDGER_WRITE_SYMBOLS"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map(String.init)
    #expect(Set(lines).subtracting(expected).sorted() == [], "not listed")
    #expect(Set(expected).subtracting(lines).sorted() == [], "listed, and not public")
    #expect(expected == lines)
  }

  @Test("The symbols of the test kit are in the list")
  func testKit() throws {
    let paths = try Self.symbols.get().map(\.path)
    #expect(paths.contains("LedgerSandbox.openLedger(on:)"))
    #expect(paths.contains("TestDisk.DiskFault.full"))
  }

  @Test("Every public symbol has a documentation comment")
  func documentation() throws {
    let undocumented = try Self.symbols.get().filter(\.lacksDocumentation).map(\.path)
    #expect(undocumented == [])
  }

  @Test("An app can name every type in a public declaration, except those of the wire")
  func names() throws {
    // Connections are made by this package and its test kit.
    let wire: Set = ["WireRequest", "WireAnswer", "RequestCredentials"]
    for symbol in try Self.symbols.get() {
      #expect(Set(symbol.hiddenTypes).subtracting(wire) == [], "\(symbol.path)")
    }
  }

  @Test("LedgerKit adds no members to types that are not its own")
  func foreignTypes() throws {
    let names = try Self.symbols.get().map { $0.path.prefix { $0 != "." } }
    let own = try Self.symbols.get().filter { !$0.path.contains(".") }.map(\.path)
    #expect(Set(names.map(String.init)).subtracting(own) == [])
  }

  @Test("The example needs no symbol that only the package can use")
  func example() throws {
    let folder = Self.root.appending(path: "../../../Sources/LedgerExample").standardizedFileURL
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder.path)/\($0)" }
    let result = try PublicSymbols.typeCheck(files)
    #expect(result.code == 0, "\(result.error)")
  }

  @Test("A date that may be wrong is not a date: never today, and never no limit")
  func wrongDate() throws {
    let source = """
      import LedgerKit
      func use(_ ledger: Ledger) async throws {
        _ = try await ledger.log(.weight, 75, on: CalendarDate(year: 2026, month: 2, day: 30))
        _ = try await ledger.days(of: .steps, from: CalendarDate("2026-02-30"))
        _ = try await ledger.progress(
          ProgressQuery(to: CalendarDate(year: 2026, month: 2, day: 30)))
      }
      """
    let folder = try TemporaryFolder()
    try folder.write(Data(source.utf8), to: "App.swift")
    let error = try PublicSymbols.typeCheck([folder.url("App.swift").path]).error
    for line in [3, 4, 6] {
      let isRefused = error.split(separator: "\n").contains {
        $0.contains("App.swift:\(line):") && $0.contains("'validating")
      }
      #expect(isRefused, "\(line): \(error)")
    }
  }
}

/// A change of what Apple's systems add is a decision, too: it changes AppleSymbols.txt, which
/// `LEDGER_WRITE_SYMBOLS=1 swift test --filter AppleSymbolsTests` writes it again.
@Suite struct AppleSymbolsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("The public declarations for Apple's systems alone are those of AppleSymbols.txt")
  func list() throws {
    let sources = Self.root.appending(path: "../../../Sources").standardizedFileURL
    let lines = try AppleSymbols(in: sources, modules: PublicSymbols.modules).lines
    let file = Self.root.appending(path: "AppleSymbols.txt")
    if ProcessInfo.processInfo.environment["LEDGER_WRITE_SYMBOLS"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map(String.init)
    #expect(lines == expected)
  }

  @Test("Declarations are found in what Linux does not compile, and nowhere else")
  func scan() {
    let text = """
      public func everywhere() {}
      #if os(iOS)
        public init(
          _ first: Int, on change: () -> Void = { print() },
          second: Int = 2
        ) {
        }
        private func hidden() {}
      #else
        public func onLinux() {}
      #endif
      #if !canImport(Darwin)
        public var linux = 1
      #elseif os(macOS)
        public static let mac = Mac { $0 }
      #endif
      #if os(macOS) || os(Linux)
        public struct Both {}
      #endif
      """
    #expect(
      AppleSymbols.declarations(in: text) == [
        "public init( _ first: Int, on change: () -> Void = { print() }, second: Int = 2 )",
        "public static let mac",
      ])
  }
}
