// swift-tools-version: 6.2
import PackageDescription

/// The rules every Swift target is compiled under: one language mode, the upcoming features that
/// make imports and existentials explicit, and warnings as errors.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
  linkerSettings: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: rules,
    linkerSettings: linkerSettings)
}

let linuxRelease: BuildSettingCondition = .when(platforms: [.linux], configuration: .release)
let linuxDebug: BuildSettingCondition = .when(platforms: [.linux], configuration: .debug)

/// Loading shared libraries would be most of a short command's time. Linked by the toolchain's lld,
/// since the system's linker warns about a `dlopen` in the Swift runtime. In a debug build the C library
/// stays shared, as sanitizers need it.
let linkedStatically: [LinkerSetting] = [
  .unsafeFlags(["-static-executable", "-use-ld=lld"], linuxRelease),
  .unsafeFlags(["-static-stdlib", "-use-ld=lld"], linuxDebug),
]

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
  ],
  targets: [
    // The data's way, in order: edit → event → log → projection → projector → call → ack.
    .target(name: "CSHA256"),
    .target(name: "CProcess"),
    module("LedgerPlatform", ["CProcess"]),
    module("LedgerJSON", ["LedgerPlatform"]),
    module("LedgerModel", ["LedgerPlatform", "LedgerJSON"]),
    module("LedgerLog", ["CSHA256", "LedgerPlatform", "LedgerJSON", "LedgerModel"]),
    module("LedgerProjections", ["LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog"]),
    module(
      "LedgerStore",
      ["LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections"]),
    module(
      "LedgerSync",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore",
      ]),
    module(
      "FitIQClient",
      ["CProcess", "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerSync"]),
    module(
      "LedgerKit",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerImport", "LedgerSync", "FitIQClient",
      ]),

    // Around the core: importers, the reference backend, the command line.
    module(
      "LedgerImport",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore",
      ]),
    module("LedgerReport", ["LedgerModel", "LedgerLog", "LedgerProjections"]),
    module("ReferenceBackend", ["LedgerPlatform", "LedgerJSON", "LedgerModel"]),
    module(
      "LedgerTestSupport",
      [
        "CSHA256", "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerSync",
        "LedgerKit", "FitIQClient", "ReferenceBackend",
      ]),
    module(
      "LedgerCLI",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerImport", "LedgerReport",
      ]),
    module(
      "LedgerNetworkCLI",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerSync", "FitIQClient", "LedgerKit", "ReferenceBackend", "LedgerCLI",
      ]),
    program("ledger", ["LedgerCLI"], linkerSettings: linkedStatically),
    program("ledger-sync", ["LedgerCLI", "LedgerNetworkCLI"]),
    program("LedgerExample", ["LedgerKit"]),
    program(
      "LedgerBenchmarks",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerSync", "LedgerCLI",
      ],
      path: "Benchmarks", exclude: ["Pool"]),
    // A program of its own: the other benchmarks measure start-up and memory without Foundation.
    program(
      "LedgerPoolBenchmark", ["LedgerPlatform", "LedgerKit", "LedgerTestSupport"],
      path: "Benchmarks/Pool"),

    tests("LedgerJSONTests", ["LedgerJSON", "LedgerTestSupport"]),
    tests("LedgerModelTests", ["LedgerJSON", "LedgerModel", "LedgerTestSupport"]),
    tests(
      "LedgerLogTests",
      [
        "CSHA256", "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerTestSupport",
      ],
      exclude: ["Golden"]),
    tests(
      "LedgerProjectionsTests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerTestSupport",
      ]),
    tests(
      "LedgerStoreTests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerTestSupport",
      ]),
    tests(
      "LedgerSyncTests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerSync", "ReferenceBackend", "LedgerTestSupport",
      ]),
    tests(
      "FitIQClientTests",
      [
        "CProcess", "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerSync",
        "FitIQClient", "ReferenceBackend", "LedgerTestSupport",
      ]),
    tests(
      "LedgerKitTests",
      [
        "LedgerPlatform", "LedgerModel", "LedgerLog", "LedgerProjections", "LedgerStore",
        "LedgerSync", "LedgerKit", "ReferenceBackend", "LedgerTestSupport",
      ]),
    tests("LedgerTestSupportTests", ["LedgerKit", "LedgerTestSupport"]),
    tests("LedgerExampleTests", ["LedgerKit", "LedgerTestSupport", "LedgerExample"]),
    tests(
      "LedgerImportTests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerStore", "LedgerImport",
        "LedgerTestSupport",
      ]),
    tests(
      "LedgerReportTests",
      ["CSHA256", "LedgerPlatform", "LedgerModel", "LedgerReport", "LedgerTestSupport"]),
    tests(
      "ReferenceBackendTests",
      ["LedgerJSON", "LedgerModel", "ReferenceBackend", "LedgerTestSupport"]),
    tests(
      "LedgerCLITests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerTestSupport", "LedgerCLI",
      ],
      exclude: ["Golden"]),
    tests(
      "LedgerNetworkCLITests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerLog", "LedgerProjections", "LedgerKit",
        "ReferenceBackend", "LedgerTestSupport", "LedgerCLI", "LedgerNetworkCLI",
      ]),
    tests(
      "ExecutableTests",
      [
        "CSHA256", "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerTestSupport",
      ],
      exclude: ["PublicAPI/PublicSymbols.txt", "PublicAPI/AppleSymbols.txt"]),
    tests(
      "SimulatorTests",
      [
        "LedgerPlatform", "LedgerJSON", "LedgerModel", "LedgerLog", "LedgerProjections",
        "LedgerStore", "LedgerSync", "ReferenceBackend", "LedgerTestSupport",
      ]),
  ]
)

// The simulator's many stories need a release build, in which the other tests cannot import internals.
if Context.environment["LEDGER_PACKAGE"] == "simulator" {
  let others = ["LedgerReport", "LedgerCLI", "LedgerNetworkCLI"]
  package.products.removeAll { $0 is Product.Executable }
  package.targets.removeAll {
    $0.type == .executable || $0.type == .test && $0.name != "SimulatorTests"
      || others.contains($0.name)
  }
}
