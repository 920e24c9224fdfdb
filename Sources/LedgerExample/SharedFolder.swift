#if os(iOS)
  import Foundation

  /// The folder shared by the app and its extensions.
  func sharedFolder(of group: String) throws -> String {
    guard
      let container = FileManager.default.containerURL(
        forSecurityApplicationGroupIdentifier: group)
    else { throw CocoaError(.fileNoSuchFile) }
    let folder = container.appending(path: "Diary", directoryHint: .isDirectory)
    // Readable after the first unlock, for a background sync.
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
    return folder.path(percentEncoded: false)
  }
#endif
