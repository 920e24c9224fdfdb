#if canImport(FoundationNetworking)
  import CProcess
  import LedgerPlatform
  import Synchronization

  /// The environment variables that libcurl reads by itself. On Linux URLSession is made of libcurl
  /// and has no setting in their place.
  enum CurlEnvironment {
    private static let lock = Mutex(())

    /// libcurl would write the keys of every TLS connection to the file that this variable names.
    /// It reads the variable once, before the first connection.
    static let ignoresKeyLog: Void = lock.withLock { _ in
      if getenv("SSLKEYLOGFILE") != nil { replace("SSLKEYLOGFILE", with: nil) }
    }

    /// Keeps libcurl from reaching a host through a proxy, by an entry in `no_proxy`. Looked at for
    /// every request, since the program may have changed the variable.
    static func exemptFromProxies(_ host: String) {
      lock.withLock { _ in
        // libcurl reads the second name only if the first one is missing or empty.
        let rules = value("no_proxy") ?? value("NO_PROXY")
        guard let rules else { return replace("no_proxy", with: host) }
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

    /// `setenv` may free the list that another thread is reading by `getenv`. A changed copy takes
    /// its place here, and the old one is never freed: a reader sees either.
    private static func replace(_ name: String, with value: String?) {
      var count = 0
      while environ[count] != nil { count += 1 }
      let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 2)
      var kept = 0
      for index in 0..<count {
        guard let entry = environ[index], strncmp(entry, "\(name)=", name.utf8.count + 1) != 0
        else {
          continue
        }
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
