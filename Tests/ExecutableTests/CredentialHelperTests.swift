import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Tokens in a program that speaks git's credential protocol: the setting `credentials.helper`.
@Suite(.blocks) struct CredentialHelperTests {
  private let folder: TemporaryFolder

  /// Keeps each password in a file named by a sum over what it belongs to, and notes its arguments.
  private static let program = """
    #!/bin/sh
    echo "$*" >> "$KEPT/arguments"
    request=$(cat)
    name=$(printf '%s' "$request" | grep -v '^password=' | cksum | tr ' ' -)
    case $1 in
      get) cat "$KEPT/$name" 2> /dev/null ;;
      store) printf '%s\\n' "$request" | grep '^password=' > "$KEPT/$name" ;;
      erase) [ ! -e "$KEPT.locked" ] || exit 1; rm -f "$KEPT/$name" ;;
    esac
    true
    """

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url("kept"), withIntermediateDirectories: true)
    try folder.writeProgram(Self.program, to: "git-credential-tests")
  }

  private var environment: [String: String] {
    ["PATH": "\(folder.path):/usr/bin:/bin", "KEPT": folder.path + "/kept"]
  }

  /// Names of the passwords that are kept.
  private func kept() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path + "/kept")
      .filter { $0 != "arguments" }
  }

  private func run(
    _ words: [String], _ ledger: TestLedger, at backend: BackendProcess
  ) throws -> Executable.Result {
    let secrets = ["LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": backend.key]
    return try Executable.ledger.run(
      words, environment: environment.merging(secrets) { $1 }, in: ledger.folder.path)
  }

  private func must(
    _ ledger: TestLedger, _ backend: BackendProcess, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try run(words, ledger, at: backend)
    #expect(result.code == 0, "\(words): \(result.error)", sourceLocation: sourceLocation)
  }

  private func registered(at backend: BackendProcess, helper: String) throws -> TestLedger {
    let ledger = try TestLedger()
    try ledger.must("append", "profile", "--name", "Ada", "--unit-system", "metric")
    try ledger.must("append", "physical", "--born", "1990-01-02")
    try ledger.must("settings", "credentials.helper", helper)
    try must(
      ledger, backend, "register", "--base-url", backend.url, "--email", TestLedger.email)
    return ledger
  }

  @Test(
    "Tokens are kept there from registration to deletion, and nowhere else",
    arguments: ["tests", "!git-credential-tests"])
  func life(_ helper: String) async throws {
    try await withBackend(["--access-token-uses", "3"]) { backend in
      let ledger = try registered(at: backend, helper: helper)
      #expect(try kept().count == 1)
      for number in 0..<8 {
        try ledger.must("append", "steps", "\(number)", "--date", "2026-01-02")
      }
      try must(ledger, backend, "sync")
      #expect(try await backend.rows().count == 8)
      let password = try #require(kept().first)
      let secrets = try JSONValue(
        parsing: folder.bytes("kept/\(password)").dropFirst("password=".utf8.count).dropLast()
          .map { $0 }
      ).object
      #expect(secrets?["api_key"]?.string == backend.key)
      let tokens = ["access_token", "refresh_token"].compactMap { secrets?[$0]?.string }
      #expect(tokens.count == 2)
      let names = try #require(FileManager.default.enumerator(atPath: ledger.path)?.allObjects)
      for case let name as String in names {
        let text = String(
          decoding: FileManager.default.contents(atPath: ledger.path + "/" + name) ?? Data(),
          as: UTF8.self)
        for secret in tokens + [backend.key] { #expect(!text.contains(secret), "\(name)") }
      }
      let arguments = String(decoding: try folder.bytes("kept/arguments"), as: UTF8.self)
      #expect(Set(arguments.split(separator: "\n")) == ["get", "store"])

      try must(ledger, backend, "logout")
      #expect(try kept() == [])
      #expect(try run(["sync"], ledger, at: backend).code == 5)
      try must(ledger, backend, "login", "--email", TestLedger.email)
      #expect(try kept().count == 1)
      try must(ledger, backend, "delete-account", "--yes", "--keep-ledger")
      #expect(try kept() == [])
      #expect(!FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
    }
  }

  @Test("A program that cannot be run is named, and nothing is written to the file instead")
  func missing() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger()
      try ledger.must("settings", "credentials.helper", "!exit 127;")
      let result = try run(
        ["login", "--base-url", backend.url, "--email", TestLedger.email], ledger, at: backend)
      #expect(result.code != 0)
      #expect(!FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
    }
  }

  @Test("A sign-out that the program refused is finished by the next one")
  func refusedErasure() async throws {
    try await withBackend { backend in
      let ledger = try registered(at: backend, helper: "tests")
      try Data().write(to: folder.url("kept.locked"))
      let refused = try run(["logout"], ledger, at: backend)
      #expect(refused.code == 1 && refused.error.contains("failed to erase"), "\(refused.error)")
      try #require(kept().count == 1)
      try FileManager.default.removeItem(at: folder.url("kept.locked"))
      let finished = try run(["logout"], ledger, at: backend)
      #expect(finished.code == 0 && finished.output.contains("signed out"), "\(finished.error)")
      #expect(try kept() == [])
      #expect(try ledger.status()["signed_in"] == false)
    }
  }

  @Test("The setting refuses what is no helper")
  func refused() throws {
    let ledger = try TestLedger()
    for value in ["", "!", "! ", "a;b", "-x", "a\nb", "$(x)"] {
      let result = try ledger.run("settings", "credentials.helper", value)
      #expect(result.code == 2, "\(value)")
    }
  }

  @Test("A program that another user may have named is not run")
  func foreignSettings() throws {
    let ledger = try TestLedger()
    try ledger.must("settings", "credentials.helper", "!touch '\(folder.path)/ran';")
    try #require(chmod(ledger.path + "/settings.json", 0o666) == 0)
    let result = try Executable.ledger.run(["logout", "--ledger", ledger.path])
    #expect(result.code == 2)
    #expect(result.error.contains("may be changed by other users; nothing was run"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
  }

  #if os(Linux)
    @Test("What holds tokens may leave no core dump")
    func coreDumps() async throws {
      try await withBackend { backend in
        let ledger = try TestLedger.registered(at: backend)
        let watch = try Executable.ledger.start(
          ["sync", "--watch"], environment: [:], in: ledger.folder.path)
        defer { watch.kill() }
        try await until { try !watch.output().isEmpty || !watch.isRunning }
        let limits = try String(contentsOfFile: "/proc/\(watch.identifier)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core") })
        #expect(line.split(separator: " ").filter { $0 == "0" }.count == 2, "\(line)")
      }
    }
  #endif
}
