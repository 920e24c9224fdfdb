#if os(iOS)
  import Foundation

  /// The folder that the app and its extensions share.
  func sharedFolder(of group: String) throws -> String {
    guard
      let container = FileManager.default.containerURL(
        forSecurityApplicationGroupIdentifier: group)
    else { throw CocoaError(.fileNoSuchFile) }
    let folder = container.appending(path: "Diary", directoryHint: .isDirectory)
    // Readable once the device has been unlocked, so that a background sync finds it.
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
    return folder.path(percentEncoded: false)
  }
#endif
