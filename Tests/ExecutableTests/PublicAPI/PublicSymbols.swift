import Foundation
import LedgerTestSupport

/// What an app that imports LedgerKit, and its tests that import LedgerTestSupport, see: the symbols of both
/// modules, the types that LedgerKit re-exports, and the members that the package's modules add to other types.
struct PublicSymbols {
  struct Symbol {
    /// Such as `Ledger.append(_:)`.
    var path: String
    /// With the conformances of a type.
    var declaration: String
    /// Whether it has no comment. Requirements of the standard library need none.
    var lacksDocumentation: Bool
    /// The package's types in the declaration that an app cannot name.
    var hiddenTypes: [String]

    var line: String { "\(path) | \(declaration)" }
  }

  private(set) var symbols: [Symbol] = []

  static let modules = [
    "LedgerKit", "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
    "LedgerStore", "LedgerImport", "LedgerSync", "FitIQClient", "LedgerTestSupport",
  ]
  private static let imported = ["LedgerKit", "LedgerTestSupport"]

  /// The list is that of Linux; ``AppleSymbols`` has what Apple's systems add.
  static let canBeRead: Bool = {
    #if os(Linux)
      // Its help ends with 1.
      (try? run(["swift", "symbolgraph-extract", "--help"])).map {
        ($0.output + $0.error).contains("Symbol Graph Extractor")
      } ?? false
    #else
      false
    #endif
  }()

  /// The built modules, with the flags that a compiler needs to import them.
  static let importFlags: [String] = {
    let folder = Executable.folder.path
    let maps = ["CSHA256", "CProcess"].flatMap { name in
      ["-Xcc", "-fmodule-map-file=\(folder)/\(name).build/module.modulemap"]
    }
    return ["-I", "\(folder)/Modules"] + maps
  }()

  /// Runs a tool of the toolchain.
  static func run(_ arguments: [String]) throws -> Executable.Result {
    // At the real time, which the compiler compares with that of its cached files.
    let variables = ProcessInfo.processInfo.environment.filter {
      ["PATH", "HOME"].contains($0.key)
    }.merging(["LD_PRELOAD": ""]) { $1 }
    return try Executable(path: "/usr/bin/env").run(arguments, environment: variables)
  }

  /// Type-checks files as an app's, which cannot use what is `package`.
  static func typeCheck(_ files: [String]) throws -> Executable.Result {
    try run(
      [
        "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", "App",
        "-enable-upcoming-feature", "MemberImportVisibility",
      ] + importFlags + files)
  }

  /// Reads them from the built modules by `swift symbolgraph-extract`.
  init() throws {
    let folder = try TemporaryFolder()
    for module in Self.modules {
      var arguments = [
        "swift", "symbolgraph-extract", "-module-name", module, "-target", try Self.triple(),
        "-minimum-access-level", "public", "-output-dir", folder.path,
      ]
      if module == "LedgerKit" {
        let others = Self.modules.filter { !Self.imported.contains($0) }.joined(separator: ",")
        arguments.append("-experimental-allowed-reexported-modules=\(others)")
      }
      let result = try Self.run(arguments + Self.importFlags)
      guard result.code == 0 else { throw Failure(description: result.error) }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var graphs: [(file: String, graph: SymbolGraph)] = []
    for file in files {
      graphs.append(
        (file, try JSONDecoder().decode(SymbolGraph.self, from: folder.bytes(file))))
    }
    collect(graphs)
  }

  private mutating func collect(_ graphs: [(file: String, graph: SymbolGraph)]) {
    // A file with @ has the members that a module adds to the types of another.
    let declared = graphs.filter { !$0.file.contains("@") }
    let own = Set(declared.flatMap { $0.graph.topLevelNames })
    let shown = Set(
      declared.filter { graph in Self.imported.contains { graph.file == "\($0).symbols.json" } }
        .flatMap { $0.graph.topLevelNames })
    var names: [String: [String]] = [:]
    for symbol in declared.flatMap(\.graph.symbols) {
      names[symbol.identifier.precise] = symbol.pathComponents
    }
    var found: [String: Symbol] = [:]
    for graph in graphs.map(\.graph) {
      let origins = graph.origins()
      let conformances = graph.conformances(names: names)
      for symbol in graph.symbols {
        let name = symbol.pathComponents[0]
        let origin = origins[symbol.identifier.precise]
        guard shown.contains(name) || !own.contains(name) else { continue }
        let isForeign = origin.map { names[$0] == nil } ?? false
        if isForeign, symbol.isUsualRequirement { continue }
        let hidden = symbol.typeIdentifiers.compactMap { names[$0] }.filter {
          !shown.contains($0[0])
        }
        let types = conformances[symbol.identifier.precise] ?? []
        let declaration =
          symbol.declaration + (types.isEmpty ? "" : " | \(types.joined(separator: ", "))")
        let entry = Symbol(
          path: symbol.pathComponents.joined(separator: "."), declaration: declaration,
          lacksDocumentation: symbol.docComment == nil && !isForeign,
          hiddenTypes: hidden.map { $0.joined(separator: ".") })
        found[entry.line] = entry
      }
    }
    symbols = found.values.sorted { $0.line < $1.line }
  }

  private static func triple() throws -> String {
    let info = try run(["swift", "-print-target-info"]).output
    let object = try JSONSerialization.jsonObject(with: Data(info.utf8)) as? [String: Any]
    guard let triple = (object?["target"] as? [String: Any])?["triple"] as? String else {
      throw Failure(description: "no target triple: \(info)")
    }
    return triple
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }
}

/// A file that `swift symbolgraph-extract` writes.
private struct SymbolGraph: Decodable {
  struct Identifier: Decodable { var precise: String }
  struct Fragment: Decodable {
    var spelling: String
    var preciseIdentifier: String?
  }
  struct Comment: Decodable {}
  struct Symbol: Decodable {
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]
    var docComment: Comment?

    /// On one line.
    var declaration: String {
      declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
    }

    var typeIdentifiers: [String] { declarationFragments.compactMap(\.preciseIdentifier) }

    /// A requirement of a protocol of the standard library that every conforming type has.
    var isUsualRequirement: Bool {
      let usual = ["==(_:_:)", "<(_:_:)", "hash(into:)", "encode(to:)", "init(from:)"]
      return usual.contains(pathComponents.last ?? "")
        || identifier.precise.contains("::SYNTHESIZED::")
    }
  }
  struct Origin: Decodable { var identifier: String }
  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
    var sourceOrigin: Origin?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  var topLevelNames: [String] {
    symbols.filter { $0.pathComponents.count == 1 }.map { $0.pathComponents[0] }
  }

  /// The requirement or the default implementation that a member comes from.
  func origins() -> [String: String] {
    Dictionary(
      relationships.compactMap { relation in
        relation.sourceOrigin.map { (relation.source, $0.identifier) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The sorted names of the protocols of each type.
  func conformances(names: [String: [String]]) -> [String: [String]] {
    let implied: Set = [
      "SendableMetatype", "Copyable", "Escapable", "BitwiseCopyable", "_Concurrency.Actor",
    ]
    var found: [String: Set<String>] = [:]
    for relation in relationships where relation.kind == "conformsTo" {
      let name =
        names[relation.target]?.joined(separator: ".") ?? relation.targetFallback ?? relation.target
      let short = name.hasPrefix("Swift.") ? String(name.dropFirst(6)) : name
      if !implied.contains(short) { found[relation.source, default: []].insert(short) }
    }
    return found.mapValues { $0.sorted() }
  }
}
