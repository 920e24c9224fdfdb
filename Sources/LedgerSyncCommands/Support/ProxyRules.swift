#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the environment says of proxies.
enum ProxyRules {
  /// This machine is never reached through a proxy: what goes to loopback may be unencrypted, and
  /// the tokens in it are nobody else's business. On Linux URLSession goes by the environment alone.
  ///
  /// Call it before threads start.
  static func exemptLoopback() {
    for name in ["no_proxy", "NO_PROXY"] {
      let rules = getenv(name).map { String(cString: $0) } ?? ""
      // Everything is exempt already.
      if rules.split(separator: ",").contains(where: { $0.allSatisfy { $0 == "*" || $0 == " " } }) {
        continue
      }
      setenv(name, ([rules].filter { !$0.isEmpty } + loopback).joined(separator: ","), 1)
    }
  }

  private static let loopback = ["localhost", "127.0.0.1", "::1"]
}
