import LedgerPlatform

/// Programs beside this one, which hold the commands that would make it start slowly.
package enum HelperProgram {
  /// Becomes the helper: same process, same terminal, same words. Returns only by throwing.
  package static func exec(
    name: String, arguments: [String]
  ) throws(CommandFailure) -> Never {
    try exec(name: name, arguments: arguments, folder: folder())
  }

  static func exec(
    name: String, arguments: [String], folder: String
  ) throws(CommandFailure) -> Never {
    let path = "\(folder)/\(name)"
    var pointers = ([name] + arguments).map { strdup($0) } + [nil]
    execv(path, &pointers)
    let code = errno
    for pointer in pointers { free(pointer) }
    if code == ENOENT {
      throw CommandFailure(
        .failed,
        "the helper '\(name)' is missing from \(folder), where '\(Program.name)' is; "
          + "install both programs there")
    }
    throw CommandFailure(.failed, "cannot run \(path): \(systemError(code)); check the file")
  }

  /// The folder of this program's file, links resolved, so that one link in `bin` is enough.
  package static func folder() throws(CommandFailure) -> String {
    guard let path = executablePath(), let slash = path.lastIndex(of: "/") else {
      throw CommandFailure(
        .failed,
        "cannot tell where '\(Program.name)' is installed, which is where its helpers are; "
          + "call it by its full path")
    }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func executablePath() -> String? {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _ = _NSGetExecutablePath(nil, &size)
      var buffer = [CChar](repeating: 0, count: Int(size) + 1)
      guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
      return resolved(buffer)
    #else
      // Without /proc, the name we were called by is the next best.
      return resolved("/proc/self/exe") ?? CommandLine.arguments.first.flatMap(resolvedIfPath)
    #endif
  }

  private static func resolvedIfPath(_ name: String) -> String? {
    name.utf8.contains(UInt8(ascii: "/")) ? resolved(name) : nil
  }

  private static func resolved(_ path: UnsafePointer<CChar>) -> String? {
    guard let absolute = realpath(path, nil) else { return nil }
    defer { free(absolute) }
    return String(cString: absolute)
  }
}
