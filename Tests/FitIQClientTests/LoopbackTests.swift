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
        precondition(Self.variable("no_proxy") == "example.com,127.0.0.1,localhost")
        await Self.expectDirect(["no_proxy": "*"])
        precondition(Self.variable("no_proxy") == "*")
      }
    }

    @Test("The environment may be read and changed by other threads meanwhile")
    func threads() async {
      await #expect(processExitsWith: .success) {
        let readers = (0..<2).map { _ in
          Thread {
            while !Thread.current.isCancelled { precondition(getenv("HOME_OF_THE_TEST") != nil) }
          }
        }
        setenv("HOME_OF_THE_TEST", "x", 1)
        // The inherited environment may already list hosts.
        for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
        for reader in readers { reader.start() }
        let count = TestSize.of(300, full: 2000)
        for number in 0..<count {
          CurlEnvironment.exemptFromProxies("127.0.\(number / 200).\(number % 200)")
        }
        for reader in readers { reader.cancel() }
        precondition(Self.variable("no_proxy")?.split(separator: ",").count == count)
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
