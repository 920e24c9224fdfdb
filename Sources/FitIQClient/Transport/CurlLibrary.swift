#if !canImport(Darwin)
  import CProcess
  import LedgerPlatform

  /// The functions of libcurl (curl.se/libcurl/c), loaded at run time: building needs none of its
  /// files, and programs without networking do not load it.
  ///
  /// `@unchecked`: it holds addresses of functions only, which never change; libcurl-thread(3) allows
  /// calling them on any thread, a handle on one at a time.
  struct CurlLibrary: @unchecked Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias DataCallback =
      @convention(c) (UnsafeMutablePointer<UInt8>, Int, Int, Handle?) -> Int
    typealias DebugCallback =
      @convention(c) (Handle, Int32, UnsafeMutablePointer<UInt8>?, Int, Handle?) -> Int32

    /// Options and their types, as in curl.h.
    enum LongOption: Int32 {
      case verbose = 41
      case post = 47
      case postFieldSize = 60
      case freshConnect = 74
      case forbidReuse = 75
      case httpGet = 80
      case httpVersion = 84
      case noSignal = 99
      case suppressConnectHeaders = 265
      case quickExit = 322
    }
    enum PointerOption: Int32 {
      case writeData = 10001
      case url = 10002
      case proxy = 10004
      case errorBuffer = 10010
      case httpHeader = 10023
      case headerData = 10029
      case customRequest = 10036
      case debugData = 10095
      case acceptEncoding = 10102
      case copyPostFields = 10165
      case writeFunction = 20011
      case headerFunction = 20079
      case debugFunction = 20094
    }
    enum LongInfo: Int32 {
      case responseCode = 0x200002
      case connectCode = 0x200016
    }

    let easyInit: @convention(c) () -> Handle?
    let easyCleanup: @convention(c) (Handle) -> Void
    let easyErrorText: @convention(c) (Int32) -> UnsafePointer<CChar>
    let listAppend: @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
    let listFree: @convention(c) (Handle?) -> Void
    let multiInit: @convention(c) () -> Handle?
    let multiCleanup: @convention(c) (Handle) -> Int32
    let multiAdd: @convention(c) (Handle, Handle) -> Int32
    let multiRemove: @convention(c) (Handle, Handle) -> Int32
    let multiPerform: @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> Int32
    let multiPoll:
      @convention(c) (Handle, Handle?, UInt32, Int32, UnsafeMutablePointer<Int32>?) -> Int32
    let multiWakeup: @convention(c) (Handle) -> Int32
    private let multiNextMessage:
      @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> UnsafePointer<cprocess_curl_message>?
    private let easySetOption: Handle
    private let easyGetInfo: Handle

    /// `nil` where it cannot be loaded, or is older than 7.68.
    static let shared = try? CurlLibrary()

    private struct Missing: Error {}

    private init() throws {
      guard let library = dlopen("libcurl.so.4", RTLD_NOW) else { throw Missing() }
      func symbol<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(library, "curl_\(name)") else { throw Missing() }
        return unsafeBitCast(symbol, to: Function.self)
      }
      easyInit = try symbol("easy_init")
      easyCleanup = try symbol("easy_cleanup")
      easyErrorText = try symbol("easy_strerror")
      easySetOption = try symbol("easy_setopt")
      easyGetInfo = try symbol("easy_getinfo")
      listAppend = try symbol("slist_append")
      listFree = try symbol("slist_free_all")
      multiInit = try symbol("multi_init")
      multiCleanup = try symbol("multi_cleanup")
      multiAdd = try symbol("multi_add_handle")
      multiRemove = try symbol("multi_remove_handle")
      multiPerform = try symbol("multi_perform")
      multiPoll = try symbol("multi_poll")
      multiWakeup = try symbol("multi_wakeup")
      multiNextMessage = try symbol("multi_info_read")
      let initialize: @convention(c) (Int) -> Int32 = try symbol("global_init")
      Self.ignoreKeyLog()
      guard initialize(Self.initializeAll) == 0 else { throw Missing() }
    }

    func set(_ option: LongOption, _ value: Int, of handle: Handle) {
      _ = cprocess_curl_set_long(easySetOption, handle, option.rawValue, value)
    }

    /// - Parameter value: copied if it is text; see curl_easy_setopt(3).
    func set(_ option: PointerOption, _ value: UnsafeRawPointer?, of handle: Handle) {
      _ = cprocess_curl_set_pointer(easySetOption, handle, option.rawValue, value)
    }

    func set(_ option: PointerOption, _ callback: DataCallback, of handle: Handle) {
      set(option, unsafeBitCast(callback, to: UnsafeRawPointer.self), of: handle)
    }

    func set(_ option: PointerOption, _ callback: DebugCallback, of handle: Handle) {
      set(option, unsafeBitCast(callback, to: UnsafeRawPointer.self), of: handle)
    }

    func get(_ info: LongInfo, of handle: Handle) -> Int {
      var value = 0
      _ = cprocess_curl_get_long(easyGetInfo, handle, info.rawValue, &value)
      return value
    }

    /// A transfer that has ended, once: the only kind of message that libcurl has.
    func nextEnded(in multi: Handle) -> (handle: Handle, result: Int32)? {
      var left: Int32 = 0
      return multiNextMessage(multi, &left).map { ($0.pointee.easy, $0.pointee.data.result) }
    }

    private static let initializeAll = 3

    /// Removes the variable that makes libcurl write the keys of every TLS connection to a file.
    /// libcurl reads it once and has no option that overrides it.
    ///
    /// Swaps in a changed copy of the environment and never frees the old one, because `unsetenv`
    /// changes the list that another thread may be reading with `getenv`.
    static func ignoreKeyLog() {
      let entry = "SSLKEYLOGFILE="
      guard getenv(String(entry.dropLast())) != nil else { return }
      var count = 0
      while environ[count] != nil { count += 1 }
      let kept = (0..<count).map { environ[$0] }.filter {
        $0.map { strncmp($0, entry, entry.utf8.count) != 0 } == true
      }
      let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
        capacity: kept.count + 1)
      copy.initialize(from: kept + [nil], count: kept.count + 1)
      cprocess_replace_environment(copy)
    }
  }
#endif
