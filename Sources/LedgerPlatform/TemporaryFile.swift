extension OpenFile {
  /// Makes a file in `$TMPDIR`, or in `/tmp`, and unlinks it at once: no other process can open it,
  /// and a crash leaves nothing behind.
  package static func makeTemporary() throws(IOFailure) -> OpenFile {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let name = "ledger-\(UInt64.random(in: 0 ... .max))"
    let file = try OpenFile("\(folder.isEmpty ? "/tmp" : folder)/\(name)", .create)
    unlink(file.path)
    return file
  }
}
