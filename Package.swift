// swift-tools-version: 6.2
import PackageDescription

/// The rules every Swift target is compiled under: one language mode, the upcoming features that
/// make imports and existentials explicit, and no warning left standing.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: rules)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: rules)
}

let package = Package(
  name: "ledger",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "LedgerKit", targets: ["LedgerKit"]),
    .library(name: "LedgerTestSupport", targets: ["LedgerTestSupport"]),
    .executable(name: "ledger", targets: ["ledger"]),
    .executable(name: "ledger-sync", targets: ["ledger-sync"]),
    .executable(name: "ledger-import", targets: ["ledger-import"]),
  ],
  targets: [
    // The data's way, in order: edit → event → log → projection → projector → call → ack.
    room("LedgerJSON"),
    room("LedgerModel", ["LedgerJSON"]),
    .target(name: "CSHA256"),
    .target(name: "CProcess"),
    room("LedgerLog", ["LedgerJSON", "LedgerModel", "CSHA256"]),
    room("LedgerProjections", ["LedgerJSON", "LedgerModel", "LedgerLog"]),
    room("LedgerSync", ["LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections"]),
    room("FitIQClient", ["LedgerJSON", "LedgerModel", "LedgerLog", "LedgerSync", "CProcess"]),
    room(
      "LedgerKit",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerSync", "FitIQClient",
      ]),

    // Beside the way: data in, a backend to try it against, the people's commands.
    room("LedgerImport", ["LedgerJSON", "LedgerModel", "LedgerProjections"]),
    room("LedgerReport", ["LedgerModel", "LedgerProjections"]),
    room("ReferenceBackend", ["LedgerJSON", "LedgerModel"]),
    room("LedgerTestSupport", ["LedgerJSON", "LedgerSync", "LedgerKit", "ReferenceBackend"]),
    room(
      "LedgerCommands",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerImport",
        "LedgerReport",
      ]),
    room(
      "LedgerSyncCommands",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerSync", "FitIQClient",
        "LedgerKit", "ReferenceBackend", "LedgerCommands",
      ]),
    program("ledger", ["LedgerCommands"]),
    program("ledger-sync", ["LedgerCommands", "LedgerSyncCommands"]),
    program("ledger-import", ["LedgerCommands"]),
    program("LedgerExample", ["LedgerKit"]),
    program(
      "LedgerBenchmarks",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerSync",
        "LedgerCommands",
      ],
      path: "Benchmarks"),

    tests("LedgerJSONTests", ["LedgerJSON", "LedgerTestSupport"]),
    tests("LedgerModelTests", ["LedgerJSON", "LedgerModel", "LedgerTestSupport"]),
    tests(
      "LedgerLogTests",
      ["LedgerJSON", "LedgerModel", "LedgerLog", "LedgerTestSupport", "CSHA256"],
      exclude: ["Golden"]),
    tests(
      "LedgerProjectionsTests",
      ["LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerTestSupport"]),
    tests(
      "LedgerSyncTests",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerSync",
        "LedgerTestSupport", "ReferenceBackend",
      ]),
    tests(
      "FitIQClientTests",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerSync", "FitIQClient", "ReferenceBackend",
        "CProcess",
      ]),
    tests(
      "LedgerKitTests",
      [
        "LedgerKit", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerTestSupport",
        "ReferenceBackend",
      ]),
    tests("LedgerTestSupportTests", ["LedgerKit", "LedgerTestSupport"]),
    tests("LedgerExampleTests", ["LedgerKit", "LedgerTestSupport", "LedgerExample"]),
    tests(
      "LedgerImportTests", ["LedgerJSON", "LedgerModel", "LedgerImport", "LedgerTestSupport"]),
    tests(
      "LedgerReportTests",
      [
        "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerReport", "LedgerTestSupport",
        "CSHA256",
      ]),
    tests(
      "ReferenceBackendTests",
      ["LedgerJSON", "LedgerModel", "ReferenceBackend", "LedgerTestSupport"]),
    tests(
      "LedgerCommandsTests",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerCommands",
        "LedgerTestSupport",
      ]),
    tests(
      "LedgerSyncCommandsTests",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerKit", "LedgerCommands",
        "LedgerSyncCommands", "LedgerTestSupport",
      ]),
    tests(
      "ExecutableTests",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerTestSupport",
        "CSHA256",
      ]),
    tests(
      "SimulatorTests",
      [
        "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerSync",
        "LedgerTestSupport", "ReferenceBackend",
      ]),
  ]
)
