#if canImport(FoundationNetworking)
  import CProcess
  import LedgerPlatform
  import Synchronization

  /// Environment variables of libcurl, on which URLSession is built on Linux. URLSession has no
  /// settings that override them.
  enum CurlEnvironment {
    private static let lock = Mutex(())

    /// Unsets the variable that makes libcurl write the keys of every TLS connection to a file.
    /// libcurl reads it once, before the first connection.
    static let ignoresKeyLog: Void = lock.withLock { _ in
      if getenv("SSLKEYLOGFILE") != nil { replace("SSLKEYLOGFILE", with: nil) }
    }

    /// Adds a host to `no_proxy`. Call it for every request, since the program may have changed the
    /// variable.
    static func exemptFromProxies(_ host: String) {
      lock.withLock { _ in
        // libcurl reads the second name only if the first one is missing or empty.
        guard let rules = value("no_proxy") ?? value("NO_PROXY") else {
          return replace("no_proxy", with: host)
        }
        // Only an asterisk alone exempts every host.
        guard rules != "*", !rules.split(whereSeparator: { ", ".contains($0) }).contains(host[...])
        else { return }
        replace("no_proxy", with: "\(rules),\(host)")
      }
    }

    private static func value(_ name: String) -> String? {
      guard let value = getenv(name), value.pointee != 0 else { return nil }
      return String(cString: value)
    }

    /// Swaps in a changed copy of the environment and never frees the old one, because `setenv` may
    /// free the list that another thread is reading with `getenv`.
    private static func replace(_ name: String, with value: String?) {
      var count = 0
      while environ[count] != nil { count += 1 }
      let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 2)
      var kept = 0
      for index in 0..<count {
        guard let entry = environ[index], strncmp(entry, "\(name)=", name.utf8.count + 1) != 0
        else { continue }
        copy[kept] = entry
        kept += 1
      }
      if let value {
        copy[kept] = strdup("\(name)=\(value)")
        kept += 1
      }
      copy[kept] = nil
      cprocess_replace_environment(copy)
    }
  }
#endif
