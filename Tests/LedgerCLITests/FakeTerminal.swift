import LedgerPlatform
import Testing

/// The far end of a terminal, with a person's hands on it.
final class FakeTerminal {
  let hands: Int32
  let screen: Int32
  let path: String

  init() throws {
    #if canImport(Darwin)
      hands = posix_openpt(O_RDWR | O_NOCTTY)
      try #require(hands >= 0 && grantpt(hands) == 0 && unlockpt(hands) == 0)
      path = String(cString: try #require(ptsname(hands)))
    #else
      // The C library's calls for this are hidden from Swift; these are what they do.
      hands = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      let unlock: UInt = 0x4004_5431
      let getNumber: UInt = 0x8004_5430
      var number: Int32 = 0
      try #require(hands >= 0 && ioctl(hands, unlock, &number) == 0)
      try #require(ioctl(hands, getNumber, &number) == 0)
      path = "/dev/pts/\(number)"
    #endif
    screen = open(path, O_RDWR | O_NOCTTY)
    try #require(screen >= 0)
  }

  deinit {
    close(hands)
    close(screen)
  }

  var echoes: Bool {
    var state = termios()
    tcgetattr(screen, &state)
    return state.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(hands, $0.baseAddress, $0.count) }
  }

  /// What the screen shows, up to and including `end`.
  func shown(until end: String) -> String {
    var text = ""
    // By bytes, because a line end is one character together with the return before it.
    while !text.utf8.reversed().starts(with: end.utf8.reversed()) {
      var waiting = pollfd(fd: hands, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 3_600_000) == 1 else { return text }
      var byte: UInt8 = 0
      guard read(hands, &byte, 1) == 1 else { return text }
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return text
  }
}
