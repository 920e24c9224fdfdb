import Foundation
import LedgerTestSupport
import Testing

/// A ledger that was found, not named, is used only if it belongs to the user. Root plays the user
/// here, `nobody` the other one.
@Suite(
  .blocks, .enabled(if: geteuid() == 0, "skipped: only root can give files to another user"))
struct FoundLedgerTests {
  /// Holds the ledger; the commands run in a folder below it.
  let folder: TemporaryFolder
  let here: String
  private let ledger: String
  private let other = (
    user: getpwnam("nobody").pointee.pw_uid, group: getpwnam("nobody").pointee.pw_gid
  )

  init() throws {
    folder = try TemporaryFolder()
    ledger = folder.path + "/.ledger"
    here = folder.path + "/a/b"
    try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
    try #require(Executable.ledger.run(["init"], in: folder.path).code == 0)
  }

  private func give(_ path: String, toOther recursive: Bool = false) throws {
    let inside = recursive ? FileManager.default.enumerator(atPath: path)?.allObjects ?? [] : []
    for path in [path] + inside.compactMap({ ($0 as? String).map { path + "/" + $0 } }) {
      try #require(lchown(path, other.user, other.group) == 0)
    }
  }

  private func open(_ path: String, _ mode: mode_t) throws { try #require(chmod(path, mode) == 0) }

  /// Nothing is written, and the sentence names an owner and the way on.
  private func expectRefusal(
    _ sentence: String, toClose path: String? = nil, in here: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let hint = path.map { "hint: only you may change it after: chmod go-w \($0)\n" } ?? ""
    let log = try Data(contentsOf: URL(filePath: ledger + "/events.jsonl"))
    for words in [["append", "weight", "80"], ["login"], ["status"], []] {
      let result = try Executable.ledger.run(words, in: here ?? self.here)
      #expect(result.code == 2, "\(words)", sourceLocation: sourceLocation)
      #expect(
        result.error
          == "ledger: \(sentence); to use it all the same, name it: --ledger \(ledger)\n\(hint)",
        sourceLocation: sourceLocation)
    }
    #expect(
      try Data(contentsOf: URL(filePath: ledger + "/events.jsonl")) == log,
      sourceLocation: sourceLocation)
    let named = try Executable.ledger.run(["--ledger", ledger, "status"], in: here ?? self.here)
    #expect(named.code == 0, sourceLocation: sourceLocation)
  }

  private func expectUse(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try Executable.ledger.run(["append", "weight", "80"], in: here)
    #expect(result.code == 0, "\(result.error)", sourceLocation: sourceLocation)
  }

  @Test("A ledger of the user's own is used")
  func own() throws { try expectUse() }

  @Test("A ledger of another user in a sticky folder is refused, also in the folder itself")
  func planted() throws {
    try open(folder.path, 0o1777)
    try give(ledger, toOther: true)
    try expectRefusal("the ledger \(ledger) belongs to nobody, not to you")
    try expectRefusal("the ledger \(ledger) belongs to nobody, not to you", in: folder.path)
  }

  @Test("A ledger of the user's own in a sticky folder is used")
  func sticky() throws {
    try open(folder.path, 0o1777)
    try expectUse()
  }

  @Test("A ledger that another user may replace is refused")
  func replaceable() throws {
    try open(folder.path, 0o777)
    try expectRefusal(
      "other users may change the ledger \(ledger): \(folder.path), which belongs to root, has the "
        + "mode 0777", toClose: folder.path)
  }

  #if os(Linux)
    @Test("A group of the user alone may write, another group may not")
    func groups() throws {
      try open(folder.path, 0o775)
      try expectUse()
      try #require(chown(folder.path, 0, other.group) == 0)
      try expectRefusal(
        "other users may change the ledger \(ledger): \(folder.path), which belongs to root, has the "
          + "mode 0775", toClose: folder.path)
    }
  #endif

  @Test("In a folder that others may write, init makes a ledger that only its owner may write")
  func initInOpenFolder() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/new/.ledger", withIntermediateDirectories: true)
    try open(folder.path + "/new/.ledger", 0o777)
    let new = folder.path + "/new"
    #expect(try Executable.ledger.run(["init"], in: new).code == 0)
    #expect(try Executable.ledger.run(["append", "weight", "80"], in: new).code == 0)
  }

  @Test("In a folder of another user, init makes no ledger that commands would refuse")
  func initInForeignFolder() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/new/.ledger", withIntermediateDirectories: true)
    try give(folder.path + "/new/.ledger")
    let result = try Executable.ledger.run(["init"], in: folder.path + "/new")
    #expect(result.code == 2 && result.error.contains("belongs to nobody, not to you"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/new/.ledger/events.jsonl"))
  }

  @Test("A folder of another user on the way is refused", arguments: ["", "/a", "/a/b"])
  func folders(_ name: String) throws {
    try give(folder.path + name)
    try expectRefusal(
      "\(folder.path + name), where the ledger \(ledger) was found, belongs to nobody, not to you")
  }

  @Test("In a world-writable folder on the way, a planted ledger is refused")
  func between() throws {
    let shared = folder.path + "/a"
    try open(shared, 0o777)
    // Nothing was planted: the ledger above it is out of other users' reach.
    try expectUse()
    try FileManager.default.copyItem(atPath: ledger, toPath: shared + "/.ledger")
    try give(shared + "/.ledger", toOther: true)
    let result = try Executable.ledger.run(["append", "weight", "80"], in: here)
    #expect(result.code == 2)
    #expect(result.error.contains("the ledger \(shared)/.ledger belongs to nobody"))
  }

  /// The files that a ledger may have beside `events.jsonl` and `head`.
  static let more = [
    "/listing.json", "/verified", "/ledger.lock", "/sync.lock", "/auth.lock", "/views.snapshot",
    "/credentials.json",
  ]

  private func makeFile(_ name: String) throws {
    guard !FileManager.default.fileExists(atPath: ledger + name) else { return }
    try folder.write(Data(), to: ".ledger" + name)
  }

  @Test(
    "A ledger that others may write is refused", arguments: ["", "/events.jsonl", "/head"] + more)
  func writable(_ name: String) throws {
    if Self.more.contains(name) { try makeFile(name) }
    try open(ledger + name, name.isEmpty ? 0o777 : 0o666)
    try expectRefusal(
      "other users may change the ledger \(ledger): \(ledger + name), which belongs to root, has "
        + "the mode \(name.isEmpty ? "0777" : "0666")", toClose: ledger + name)
  }

  @Test("A file of another user in the ledger is refused")
  func foreignFile() throws {
    let settings = ledger + "/settings.json"
    try folder.write(
      Data(#"{"backend.url":"https://other.example"}"#.utf8), to: ".ledger/settings.json")
    try give(settings)
    try expectRefusal(
      "\(settings), where the ledger \(ledger) was found, belongs to nobody, not to you")
  }

  @Test("Any other file of the ledger that belongs to another user is refused", arguments: more)
  func foreignFiles(_ name: String) throws {
    try makeFile(name)
    try give(ledger + name)
    try expectRefusal(
      "\(ledger + name), where the ledger \(ledger) was found, belongs to nobody, not to you")
  }

  @Test("Of a link, both it and its target must be the user's")
  func links() throws {
    let target = folder.path + "/elsewhere/data"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/elsewhere", withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: ledger, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: ledger, withDestinationPath: target)
    try expectUse()
    try give(ledger)
    try expectRefusal("the ledger \(ledger) belongs to nobody, not to you")
    try #require(lchown(ledger, 0, 0) == 0)
    try give(target, toOther: true)
    try expectRefusal("the ledger \(ledger) belongs to nobody, not to you")
    try #require(lchown(target, 0, 0) == 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: target) {
      try #require(lchown(target + "/" + name, 0, 0) == 0)
    }
    try open(folder.path + "/elsewhere", 0o777)
    try expectRefusal(
      "other users may change the ledger \(ledger): \(folder.path)/elsewhere, which belongs to "
        + "root, has the mode 0777", toClose: folder.path + "/elsewhere")
  }

  @Test("The other user may use a ledger of root's, and of their own, but not a third user's")
  func theOtherUser() throws {
    // The programs may lie where only root may look. Another program copies them: while this one has a
    // file open for writing, a child that is being started has, too, and the file cannot be executed.
    for name in ["ledger", "ledger-sync"] {
      let words = ["-m", "755", Executable.folder.appending(path: name).path, folder.path]
      try #require(Executable(path: "/usr/bin/install").run(words, in: here).code == 0)
    }
    for name in ["", "/a", "/a/b"] { try open(folder.path + name, 0o755) }
    let nobody = ["--reuid=nobody", "--regid=\(other.group)", "--clear-groups"]
    let setpriv = Executable(path: "/usr/bin/setpriv")
    guard FileManager.default.isExecutableFile(atPath: setpriv.path),
      try setpriv.run(nobody + ["/usr/bin/ls", here], in: here).code == 0
    else {
      print("skipped: no other user can be played, or none can reach the temporary folder")
      return
    }
    func run(_ command: String...) throws -> Executable.Result {
      try setpriv.run(nobody + [folder.path + "/ledger"] + command, in: here)
    }
    try open(ledger, 0o755)
    for name in try FileManager.default.contentsOfDirectory(atPath: ledger) {
      try open(ledger + "/" + name, 0o644)
    }
    #expect(try run("verify").code == 0)
    try give(ledger, toOther: true)
    #expect(try run("append", "weight", "80").code == 0)
    for name in ["", "/events.jsonl", "/head"] {
      try #require(lchown(ledger + name, 12_345, 12_345) == 0)
    }
    let result = try run("append", "weight", "80")
    #expect(result.code == 2)
    #expect(result.error.contains("belongs to user 12345, not to you"))
    // A lock that the user cannot open is refused for its owner, too.
    for name in ["", "/events.jsonl", "/head"] { try give(ledger + name) }
    try makeFile("/ledger.lock")
    try #require(lchown(ledger + "/ledger.lock", 12_345, 12_345) == 0)
    try open(ledger + "/ledger.lock", 0o600)
    let locked = try run("append", "weight", "80")
    #expect(locked.code == 2)
    #expect(locked.error.contains("ledger.lock, where the ledger"))
  }
}
