#if os(macOS) || os(Linux)
  import Foundation
  import LedgerLog
  import LedgerSync
  import Testing

  @testable import FitIQClient

  /// Credentials in a program that speaks git's credential protocol.
  @Suite(.blocks) struct HelperStoreTests {
    private let scratch: CredentialFolder
    private let ada = Credentials(
      origin: "https://api.fitiq.example:8443", pathPrefix: "/v2", email: "ada@example.org",
      userID: "u-1", apiKey: Secret("the-api-key"),
      tokens: TokenPair(access: Secret("the-access"), refresh: Secret("the-refresh")),
      generation: 7)

    init() throws { scratch = try CredentialFolder() }

    private var folder: String { scratch.directory.path }

    /// A program that keeps one password and every request.
    private static let keeper = """
      #!/bin/sh
      cd "$(dirname "$0")" || exit 1
      request=$(cat)
      printf '%s %s\\n%s\\n' "$#" "$*" "$request" >> requests
      for last; do :; done
      case $last in
        get) if [ -f kept ]; then printf 'quit=0\\nusername=x\\n'; cat kept; fi ;;
        store) printf '%s\\n' "$request" | grep '^password=' > kept ;;
        erase) rm -f kept ;;
      esac
      """

    private func store(
      _ program: String = keeper, named name: String = "helper"
    ) throws -> HelperCredentialStore {
      let path = "\(folder)/\(name)"
      try Data(program.utf8).write(to: URL(filePath: path))
      try #require(chmod(path, 0o700) == 0)
      return HelperCredentialStore(scratch.directory, helper: Self.running(path))
    }

    /// Run by a shell: a new file cannot be executed while another test's child process has it open.
    private static func running(_ path: String) -> String { "!sh '\(path)'" }

    private func text(_ name: String) -> String {
      (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
    }

    private func expectNoSecret(sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(!scratch.text.contains("the-"), sourceLocation: sourceLocation)
    }

    @Test("What is saved is loaded, and the file has no secret")
    func saves() throws {
      let store = try store()
      #expect(try store.load() == nil)
      try store.save(ada)
      #expect(try store.load() == ada)
      expectNoSecret()
      #expect(scratch.text.contains("ada@example.org"))
      var next = ada
      next.tokens = TokenPair(access: Secret("the-second"), refresh: Secret("the-next"))
      next.generation = 8
      try HelperCredentialStore(scratch.directory, helper: Self.running("\(folder)/helper")).save(
        next)
      // Another store changed it.
      #expect(try store.load() == next)
      expectNoSecret()
    }

    @Test("The request names scheme, host, folder and account; secrets are on standard input alone")
    func request() throws {
      try store().save(ada)
      let lines = text("requests").split(separator: "\n").map(String.init)
      let path = folder.split(separator: "/").joined(separator: "/")
      #expect(
        lines[..<5] == [
          "1 store", "protocol=https", "host=api.fitiq.example:8443", "path=\(path)",
          "username=ada@example.org",
        ])
      #expect(lines[5].hasPrefix(#"password={"origin":"https://api.fitiq.example:8443","#))
      #expect(lines.filter { $0.hasPrefix("1 ") } == ["1 store", "1 get"])
    }

    @Test("Signing out erases it, and counts even if the program erases nothing")
    func logout() async throws {
      let store = try store()
      try store.save(ada)
      try await AuthAPI.logout(store)
      #expect(text("kept").isEmpty)
      #expect(try store.load()?.isSignedIn == false)
      #expect(try store.load()?.email == "ada@example.org")

      let stubborn = try self.store(
        Self.keeper.replacingOccurrences(of: "rm -f kept", with: "exit 0"), named: "stubborn")
      try stubborn.save(ada)
      await #expect(throws: ClientError.self) { try await AuthAPI.logout(stubborn) }
      #expect(!text("kept").isEmpty)
      #expect(try stubborn.load()?.isSignedIn == false)
    }

    @Test("Removing the credentials leaves nothing")
    func removes() throws {
      let store = try store()
      try store.save(ada)
      try store.remove()
      #expect(try store.load() == nil)
      #expect(text("kept").isEmpty)
      #expect(scratch.text.isEmpty)
    }

    @Test("A program that does not keep what it is given, or fails, is an error")
    func unreliable() throws {
      for program in ["#!/bin/sh\ncat > /dev/null\n", "#!/bin/sh\nexit 3\n", "#!/nowhere\n"] {
        let store = try store(program, named: "unreliable")
        #expect(throws: ClientError.self) { try store.save(ada) }
        #expect(try store.load() == nil)
        expectNoSecret()
      }
      let missing = HelperCredentialStore(scratch.directory, helper: "no-such-program-17")
      #expect(throws: ClientError.self) { try missing.save(ada) }
    }

    @Test("A pair that was stored just before a crash is the one that counts")
    func crash() throws {
      let store = try store()
      try store.save(ada)
      var next = ada
      next.tokens = TokenPair(access: Secret("the-second"), refresh: Secret("the-next"))
      next.generation = 8
      let before = scratch.text
      try store.save(next)
      // The file was not replaced.
      try Data(before.utf8).write(to: URL(filePath: scratch.credentialsPath))
      #expect(try store.load() == next)
    }

    @Test("Tokens of before the setting are used until new ones are kept")
    func migration() throws {
      try scratch.store.save(ada)
      let store = try store()
      #expect(try store.load() == ada)
      try store.save(ada)
      expectNoSecret()
      #expect(try store.load() == ada)
    }

    @Test("A moved ledger finds its tokens, and signing out there erases them")
    func moved() throws {
      try store().save(ada)
      let path = scratch.directory.path + "-moved"
      try FileManager.default.moveItem(atPath: scratch.directory.path, toPath: path)
      defer { try? FileManager.default.moveItem(atPath: path, toPath: scratch.directory.path) }
      let moved = HelperCredentialStore(
        LedgerDirectory(path), helper: Self.running("\(path)/helper"))
      #expect(try moved.load() == ada)
      var next = ada
      next.generation = 8
      try moved.save(next)
      try moved.save(next.signedOut)
      let requests = try String(contentsOfFile: "\(path)/requests", encoding: .utf8)
      let paths = requests.split(separator: "\n").filter { $0.hasPrefix("path=") }
      #expect(Set(paths).count == 1 && paths.count > 4)
      #expect(!FileManager.default.fileExists(atPath: "\(path)/kept"))
    }

    @Test("Credentials that are longer than a pipe are refused, not waited for")
    func tooLong() throws {
      let store = try store("#!/bin/sh\nsleep 60\n")
      var long = ada
      long.tokens = TokenPair(
        access: Secret(String(repeating: "a", count: 2 << 20)), refresh: Secret("the-refresh"))
      #expect(
        throws: ClientError.credentialHelper(
          problem: "cannot be asked: the credentials are too long")
      ) { try store.save(long) }
    }

    @Test("A program that a signal ends has not said that there are no credentials")
    func signalled() throws {
      try store().save(ada)
      let killed = try store("#!/bin/sh\nkill -KILL $$\n", named: "killed")
      #expect(throws: ClientError.self) { try killed.load() }
    }

    @Test("What the program gives for another account or ledger is not used")
    func foreign() throws {
      let store = try store()
      try store.save(ada)
      let password = try #require(text("kept").split(separator: "\n").first)
      let changed = password.replacingOccurrences(of: "ada@", with: "eve@")
      try Data((changed + "\n").utf8).write(to: URL(filePath: "\(folder)/kept"))
      #expect(
        try HelperCredentialStore(scratch.directory, helper: Self.running("\(folder)/helper"))
          .load()?.isSignedIn
          == false)
    }

    @Test("Between changes the program is asked once, under the lock always")
    func asksOnce() throws {
      let store = try store()
      try store.save(ada)
      for _ in 0..<5 { #expect(try store.load() == ada) }
      #expect(text("requests").components(separatedBy: "1 get").count - 1 == 2)
      for _ in 0..<2 { #expect(try store.loadLocked() == ada) }
      #expect(text("requests").components(separatedBy: "1 get").count - 1 == 4)
    }

    @Test("A session is renewed once for many calls, and the pair is kept before it is used")
    func renewal() async throws {
      let helper = try store()
      try await withSignedInBackend(.tokensFor(3)) { scene in
        let api = AuthAPI(
          address: scene.address, apiKey: demoKey, store: helper,
          transport: HTTPTransport.patient)
        try await api.login(email: "ada@example.org", password: demoPassword)
        let sessions = (0..<2).map { _ in
          BackendSession(
            address: scene.address,
            store: HelperCredentialStore(
              scratch.directory, helper: Self.running("\(folder)/helper")),
            transport: HTTPTransport.patient)
        }
        for number in 0..<12 {
          let answer = await sessions[number % 2].send(weighing(number + 1))
          // A revoked session would be a 401.
          #expect(answer.response?.status == 201, "\(answer)")
        }
        expectNoSecret()
        #expect(try helper.load()?.isSignedIn == true)
      }
    }

    @Test(
      "The setting is read as git reads it",
      arguments: [
        ("!pass show x |", "pass show x | get"),
        ("/usr/bin/keep --for me", "/usr/bin/keep --for me get"),
        (
          "store --file=/x",
          "if command -v git-credential-store > /dev/null; then git-credential-store --file=/x get; "
            + "else git credential-store --file=/x get; fi"
        ),
      ])
    func commands(_ text: String, _ command: String) {
      #expect(CredentialHelper.command(text, .get) == command)
    }
  }

  extension Credentials {
    fileprivate var signedOut: Credentials {
      var next = self
      next.tokens = nil
      next.apiKey = nil
      return next
    }
  }
#endif
