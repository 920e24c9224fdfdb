import LedgerTestSupport

/// What names stand for which files: as programs see it, and as the platter has it.
struct SimulatedNames {
  private enum Change {
    case make(path: String, inode: Int)
    case remove(path: String)
    case rename(path: String, newPath: String, inode: Int)

    var path: String {
      switch self {
      case .make(let path, _), .remove(let path), .rename(let path, _, _): path
      }
    }
  }

  private(set) var cached: [String: Int]
  private var durable: [String: Int]
  /// Not on the platter, oldest first.
  private var changes: [Change] = []

  /// - Parameter root: a folder that is there from the beginning.
  init(root: String, inode: Int) {
    cached = [root: inode]
    durable = cached
  }

  /// What a name stands for after a power cut that takes everything it can, if its folder is kept too.
  func kept(_ path: String) -> Int? {
    var folder = path
    while folder != "/" {
      folder = Self.folder(of: folder)
      guard durable[folder] != nil else { return nil }
    }
    return durable[path]
  }

  static func folder(of path: String) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  mutating func make(_ path: String, _ inode: Int) { change(.make(path: path, inode: inode)) }

  mutating func remove(_ path: String) { change(.remove(path: path)) }

  mutating func rename(_ path: String, to newPath: String, _ inode: Int) {
    change(.rename(path: path, newPath: newPath, inode: inode))
  }

  private mutating func change(_ change: Change) {
    Self.apply(change, to: &cached)
    changes.append(change)
  }

  private static func apply(_ change: Change, to names: inout [String: Int]) {
    switch change {
    case .make(let path, let inode): names[path] = inode
    case .remove(let path): names[path] = nil
    case .rename(let path, let newPath, let inode):
      if names[path] == inode { names[path] = nil }
      names[newPath] = inode
    }
  }

  mutating func synchronize(folder: String) {
    var others: [Change] = []
    for change in changes {
      if Self.folder(of: change.path) == folder {
        Self.apply(change, to: &durable)
      } else {
        others.append(change)
      }
    }
    changes = others
  }

  /// Any subset of what was not synced survives; a folder that is lost takes along what is in it.
  mutating func losePower(using generator: inout SplitMix) {
    let kept: [Change]
    switch generator.below(4) {
    case 0: kept = []
    case 1: kept = changes
    case 2: kept = Array(changes.prefix(generator.below(changes.count + 1)))
    default: kept = changes.filter { _ in generator.chance(1, of: 2) }
    }
    for change in kept { Self.apply(change, to: &durable) }
    changes = []
    cached = durable.filter { name, _ in
      name == "/" || durable[Self.folder(of: name)] != nil
    }
    durable = cached
  }
}
