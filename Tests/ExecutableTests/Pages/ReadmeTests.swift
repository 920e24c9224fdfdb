import Foundation
import LedgerTestSupport
import Testing

/// What the README says of the demo and of installing.
@Suite(.blocks) struct ReadmeTests {
  @Test("The README's picture of the demo is what the demo says")
  func demo() throws {
    let readme = try String(
      contentsOf: Page.root.appending(path: "README.md"), encoding: .utf8)
    let shown = try #require(
      readme.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "```")
        .first)
    let folder = try TemporaryFolder()
    let result = try Executable.ledger.run(
      ["demo"], environment: ["LEDGER_DEMO_DIR": folder.path + "/demo", "NO_COLOR": "1"],
      in: folder.path)
    #expect(result.code == 0)
    var rest = FollowedPage.masked(result.output)[...]
    for line in FollowedPage.masked(shown).split(separator: "\n") where line != "…" {
      guard let place = rest.firstRange(of: line) else {
        Issue.record("the demo does not say, in this order: \(line)")
        return
      }
      rest = rest[place.upperBound...]
    }
  }

  @Test("install.sh installs what runs from there, and takes all of it away again")
  func installs() throws {
    let folder = try TemporaryFolder()
    let prefix = folder.path + "/a prefix"
    let script = Executable(path: Page.root.appending(path: "docs/install.sh").path)
    let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
    let made = try script.run(
      ["--prefix", prefix, "--from", Executable.folder.path], environment: environment)
    #expect(made.code == 0, "\(made.error)")
    let version = try Executable(path: prefix + "/bin/ledger").run(["version"])
    #expect(version.output.hasPrefix("ledger "))
    // A forwarded command: both programs are there.
    #expect(try Executable(path: prefix + "/bin/ledger").run(["logout"]).code == 4)
    for (file, begins) in [
      ("share/bash-completion/completions/ledger", "# bash completion for ledger"),
      ("share/zsh/site-functions/_ledger", "#compdef ledger"),
      ("share/fish/vendor_completions.d/ledger.fish", "# fish completion for ledger"),
      ("share/man/man1/ledger.1", #".\" Made by"#),
    ] {
      let text = try String(contentsOfFile: "\(prefix)/\(file)", encoding: .utf8)
      #expect(text.hasPrefix(begins), "\(file)")
    }
    let gone = try script.run(["--uninstall", "--prefix", prefix], environment: environment)
    #expect(gone.code == 0, "\(gone.error)")
    let left = (FileManager.default.enumerator(atPath: prefix)?.allObjects ?? [])
      .compactMap { $0 as? String }
      .filter { name in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(prefix)/\(name)", isDirectory: &isFolder)
          && !isFolder.boolValue
      }
    #expect(left == [])
    #expect(try script.run(["--bogus"], environment: environment).code == 2)
  }

  @Test("install.sh --help lists its uses and is no failure")
  func installHelp() throws {
    let script = Executable(path: Page.root.appending(path: "docs/install.sh").path)
    let help = try script.run(["--help"], environment: ["PATH": "/usr/bin:/bin", "HOME": "/"])
    #expect(help.code == 0)
    #expect(help.error.isEmpty)
    #expect(help.output.split(separator: "\n").count == 3)
    #expect(help.output.contains("docs/install.sh --uninstall [--prefix DIR]"))
  }

  @Test("install.sh builds in its own project and installs for all, under any umask and CDPATH")
  func installsFromAnywhere() throws {
    let folder = try TemporaryFolder()
    for name in ["project/docs", "decoy/project/docs", "bin"] {
      try FileManager.default.createDirectory(
        at: folder.url(name), withIntermediateDirectories: true)
    }
    let script = try String(
      contentsOf: Page.root.appending(path: "docs/install.sh"), encoding: .utf8)
    try folder.writeProgram(script, to: "project/docs/install.sh")
    // Stands in for the build, and says where it was run.
    let swift = "#!/bin/sh\npwd >> '\(folder.path)/built'\necho '\(Executable.folder.path)'\n"
    try folder.writeProgram(swift, to: "bin/swift")
    let result = try Executable(path: "/bin/sh").run(
      ["-c", "umask 077; exec project/docs/install.sh --prefix 'a prefix'"],
      environment: [
        "PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": folder.path,
        "CDPATH": folder.path + "/decoy",
      ], in: folder.path)
    #expect(result.code == 0, "\(result.error)")
    let built = String(decoding: try folder.bytes("built"), as: UTF8.self)
    #expect(Set(built.split(separator: "\n")) == ["\(folder.path)/project"])
    let installed = FileManager.default.enumerator(atPath: folder.path + "/a prefix")
    let names = (installed?.allObjects ?? []).compactMap { $0 as? String }
    #expect(names.contains("bin/ledger"))
    for name in names {
      var status = stat()
      try #require(lstat("\(folder.path)/a prefix/\(name)", &status) == 0)
      let isOpen = status.st_mode & S_IFMT == S_IFDIR || name.hasPrefix("bin/")
      #expect(status.st_mode & 0o777 == (isOpen ? 0o755 : 0o644), "\(name)")
    }
  }
}
