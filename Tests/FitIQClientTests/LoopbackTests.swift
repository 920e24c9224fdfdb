import Foundation
import LedgerSync
import LedgerTestSupport
import Testing

@testable import FitIQClient

#if os(Linux)
  import CProcess

  /// The effect of libcurl's environment variables. Each test runs in a child process, whose
  /// environment it may change.
  @Suite struct LoopbackTests {
    private static func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }
    }

    /// Sends requests to this machine with an unusable proxy.
    private static func expectDirect(_ rules: [String: String]) async {
      setenv("http_proxy", "http://127.0.0.1:1", 1)
      setenv("all_proxy", "http://127.0.0.1:1", 1)
      for (name, value) in rules { setenv(name, value, 1) }
      do {
        let server = try RawServer { peer in
          peer.request()
          peer.send(httpAnswer("200 OK", "{}"))
        }
        for host in ["127.0.0.1", "localhost"] {
          let answer = try await transmit(posting, to: "http://\(host):\(server.port)")
          precondition(answer.response?.status == 200, "\(rules) \(host): \(answer)")
        }
        precondition(server.requests.count == 2)
        server.stop()
      } catch {
        fatalError("\(error)")
      }
    }

    @Test("This machine is reached directly, whatever the environment says of proxies")
    func direct() async {
      await #expect(processExitsWith: .success) {
        await Self.expectDirect([:])
        await Self.expectDirect(["no_proxy": "*,x"])
        await Self.expectDirect(["no_proxy": "example.com", "NO_PROXY": "*"])
        await Self.expectDirect(["no_proxy": "*"])
      }
    }

    @Test("The environment may be read by other threads while it is changed")
    func threads() async {
      await #expect(processExitsWith: .success) {
        let entries = ["HOME_OF_THE_TEST=x", "SSLKEYLOGFILE=/dev/null", nil]
          .map { entry in entry.flatMap { strdup($0) } }
        let environment = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
          .allocate(capacity: entries.count)
        environment.initialize(from: entries, count: entries.count)
        cprocess_replace_environment(environment)
        let readers = (0..<2).map { _ in
          Thread {
            while !Thread.current.isCancelled { precondition(getenv("HOME_OF_THE_TEST") != nil) }
          }
        }
        for reader in readers { reader.start() }
        for _ in 0..<TestSize.of(300, full: 2000) {
          cprocess_replace_environment(environment)
          CurlLibrary.ignoreKeyLog()
          precondition(Self.variable("SSLKEYLOGFILE") == nil)
        }
        for reader in readers { reader.cancel() }
      }
    }

    @Test("No key of a TLS connection is written to a file")
    func keyLog() async {
      await #expect(processExitsWith: .success) {
        let path = FileManager.default.temporaryDirectory.path + "/keys-\(UUID().uuidString)"
        setenv("SSLKEYLOGFILE", path, 1)
        setenv("AFTER_IT", "kept", 1)
        _ = try await transmit(posting, to: "https://127.0.0.1:1")
        precondition(!FileManager.default.fileExists(atPath: path))
        precondition(Self.variable("SSLKEYLOGFILE") == nil)
        precondition(Self.variable("AFTER_IT") == "kept")
      }
    }

    @Test("A protected process writes no core dump")
    func coreDumps() async {
      await #expect(processExitsWith: .success) {
        precondition(cprocess_dumpable() == 1)
        SecretMemory.protect()
        precondition(cprocess_dumpable() == 0)
        var limit = rlimit()
        precondition(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
        precondition(limit.rlim_cur == 0 && limit.rlim_max == 0)
      }
    }
  }
#endif
