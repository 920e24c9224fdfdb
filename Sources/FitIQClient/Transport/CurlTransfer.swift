#if !canImport(Darwin)
  import LedgerModel
  import LedgerPlatform
  import LedgerSync

  /// One request in libcurl. Used only on the thread of its client.
  final class CurlTransfer {
    let handle: CurlLibrary.Handle
    let exchange: Exchange
    private let library: CurlLibrary
    private var headers: CurlLibrary.Handle?
    private var head = AnswerHead()
    private let errorText: UnsafeMutablePointer<CChar>

    private static let errorTextBytes = 256
    private static let http11 = 2

    /// - Returns: `nil` when there is no memory.
    init?(_ message: HTTPMessage, as exchange: Exchange, in library: CurlLibrary) {
      guard let handle = library.easyInit() else { return nil }
      self.handle = handle
      self.exchange = exchange
      self.library = library
      errorText = .allocate(capacity: Self.errorTextBytes)
      errorText.initialize(repeating: 0, count: Self.errorTextBytes)
      setRequest(message)
      setConnection(message)
      setCallbacks()
    }

    deinit {
      library.easyCleanup(handle)
      library.listFree(headers)
      errorText.deallocate()
    }

    private func setRequest(_ message: HTTPMessage) {
      library.set(.url, message.url, of: handle)
      let mayBeBodiless = message.method == .get || message.method == .delete
      if let body = message.body ?? (mayBeBodiless ? nil : []) {
        library.set(.post, 1, of: handle)
        library.set(.postFieldSize, body.count, of: handle)
        library.set(.copyPostFields, body, of: handle)
      } else {
        library.set(.httpGet, 1, of: handle)
      }
      library.set(.customRequest, message.method.rawValue, of: handle)
      // Headers that libcurl would add, without a value. It repeats a request whose expectation failed.
      let unwanted = message.body == nil ? ["Expect:", "Content-Type:"] : ["Expect:"]
      for line in message.headers.map({ "\($0.name): \($0.value)" }) + unwanted {
        headers = library.listAppend(headers, line) ?? headers
      }
      library.set(.httpHeader, headers, of: handle)
      // Decodes an answer that is compressed against the request's header.
      library.set(.acceptEncoding, "identity", of: handle)
    }

    private func setConnection(_ message: HTTPMessage) {
      library.set(.httpVersion, Self.http11, of: handle)
      // libcurl's handling of signals is not thread-safe.
      library.set(.noSignal, 1, of: handle)
      // Does not wait for the look-up of a name when a transfer is removed.
      library.set(.quickExit, 1, of: handle)
      library.set(.suppressConnectHeaders, 1, of: handle)
      // Overrides the proxies of the environment.
      if message.isDirect { library.set(.proxy, "", of: handle) }
      // libcurl repeats a request whose reused connection died; only a GET tolerates that.
      if message.method.mutates {
        library.set(.freshConnect, 1, of: handle)
        library.set(.forbidReuse, 1, of: handle)
      }
    }

    private func setCallbacks() {
      let context = Unmanaged.passUnretained(self).toOpaque()
      library.set(.errorBuffer, errorText, of: handle)
      library.set(.writeData, context, of: handle)
      library.set(.headerData, context, of: handle)
      library.set(
        .writeFunction, { CurlTransfer.of($3).receive($0, $1 * $2, isBody: true) }, of: handle)
      library.set(
        .headerFunction, { CurlTransfer.of($3).receive($0, $1 * $2, isBody: false) }, of: handle)
      // Shows what came over the connection before chunks are decoded, and only if verbose.
      library.set(.verbose, 1, of: handle)
      library.set(.debugData, context, of: handle)
      library.set(
        .debugFunction,
        { _, kind, _, count, context in
          if kind == CurlTransfer.dataIn {
            CurlTransfer.of(context).exchange.count(onWire: count)
          }
          return 0
        }, of: handle)
    }

    /// `CURLINFO_DATA_IN` of curl.h.
    private static let dataIn: Int32 = 3

    private static func of(_ context: CurlLibrary.Handle?) -> CurlTransfer {
      Unmanaged<CurlTransfer>.fromOpaque(context!).takeUnretainedValue()
    }

    /// - Returns: the count to go on, else 0, which ends the transfer.
    private func receive(
      _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isBody: Bool
    ) -> Int {
      let bytes = UnsafeBufferPointer(start: bytes, count: count)
      if !isBody { head.receive(String(decoding: bytes, as: UTF8.self)) }
      return exchange.receive(bytes, isBody: isBody) ? count : 0
    }

    /// Ends the exchange with libcurl's result.
    func end(_ result: Int32) {
      exchange.end { result == 0 ? answer($0) : failure(result) }
    }

    private func answer(_ body: [UInt8]) -> WireAnswer {
      let status = library.get(.responseCode, of: handle)
      guard (200...599).contains(status) else {
        return .lost(reason: "the answer is not HTTP")
      }
      let wait = head.retryAfter.flatMap {
        RetryAfter.seconds($0, date: head.date, now: LocalZone.now())
      }
      return .response(.init(status: status, body: body, retryAfterSeconds: wait))
    }

    private func failure(_ result: Int32) -> WireAnswer {
      let text = errorText[0] == 0 ? library.easyErrorText(result) : UnsafePointer(errorText)
      var reason = String(String(cString: text).prefix(300))
      if result == Self.tlsFailed, Self.isNotTLS(reason) {
        reason =
          "the server there does not speak TLS; on this machine its address may begin with http://"
      }
      // One line of the trailer is longer than libcurl's limit.
      if reason == "Out of memory in chunked-encoding" {
        reason = "a trailer of the answer is too long"
      }
      return wasNotSent(result) ? .notSent(reason: reason) : .lost(reason: reason)
    }

    private static let tlsFailed: Int32 = 35

    /// What OpenSSL and GnuTLS say of an answer that is not TLS, as plain HTTP is.
    private static func isNotTLS(_ reason: String) -> Bool {
      ["wrong version number", "unexpected TLS packet", "packet length too long"].contains {
        reason.contains($0)
      }
    }

    /// Whether the backend certainly has no complete request. A false positive would send an entry
    /// twice.
    private func wasNotSent(_ result: Int32) -> Bool {
      let proxyStatus = library.get(.connectCode, of: handle)
      return Self.beforeConnection.contains(result)
        || proxyStatus != 0 && !(200...299).contains(proxyStatus)
    }

    /// Results that occur only while a connection is made (libcurl-errors(3)).
    private static let beforeConnection: Set<Int32> = [
      3,  // the address
      5, 6,  // the proxy's and the host's name
      7, 97,  // connecting to the host or the proxy
      35, 58, 59, 60, 77, 83,  // TLS and certificates
    ]
  }

  /// The headers that count, of the last answer: interim ones come before it, trailers after its body.
  private struct AnswerHead {
    private(set) var retryAfter: String?
    private(set) var date: String?
    private var isComplete = true

    /// - Parameter line: with its line break.
    mutating func receive(_ line: String) {
      if isComplete {
        if line.hasPrefix("HTTP/") { self = AnswerHead(isComplete: false) }
        return
      }
      guard let colon = line.firstIndex(of: ":") else {
        isComplete = line.allSatisfy(\.isNewline)
        return
      }
      let value = String(line[line.index(after: colon)...].prefix { !$0.isNewline })
      switch line[..<colon].lowercased() {
      case "retry-after": retryAfter = value
      case "date": date = value
      default: break
      }
    }
  }
#endif
