import LedgerLog
import LedgerModel
import LedgerPlatform

/// The zones of this system that somebody most likely meant: by their whole name, else by the place
/// in it, as in `vienna`, `new york` or `Viena`. At most three.
func nearestZones(to text: String) -> [String] {
  // A whole novel is no zone, and each letter of it would be compared with six hundred names.
  guard text.utf8.count <= 64 else { return [] }
  let typed = text.split(separator: " ").joined(separator: "_")
  let names = systemZones()
  if let same = names.first(where: { $0.lowercased() == typed.lowercased() }) { return [same] }
  let whole = nearest(to: typed, among: names)
  if typed.contains("/"), !whole.isEmpty { return whole }
  let places = names.map { name in String(name.split(separator: "/").last ?? "") }
  let place = String(typed.split(separator: "/").last ?? "")
  // Three letters are the beginning of many a place.
  let near = place.count < 4 ? [] : nearest(to: place, among: places)
  let found = zip(names, places).filter { near.contains($0.1) }.map(\.0)
  return found.isEmpty ? whole : Array(found.prefix(3))
}

/// The names of the zones that this system has rules for, sorted.
private func systemZones() -> [String] {
  for root in LocalZone.zoneFolders {
    let names = zones(in: root, under: "")
    if !names.isEmpty { return names.sorted() }
  }
  return []
}

/// Regions begin with a capital; `posix` and `right` repeat them all.
private func zones(in folder: String, under path: String) -> [String] {
  let disk = SystemDisk.shared
  guard let found = try? disk.names(in: folder) else { return [] }
  return found.flatMap { name -> [String] in
    guard name.first?.isUppercase == true else { return [] }
    let file = folder + "/" + name
    // Some systems keep whole folders as links, which lead to where we have been.
    let kind = try? disk.status(of: file, followsLinks: false).kind
    if kind == .folder { return zones(in: file, under: path + name + "/") }
    return LocalZone.isKnown(path + name) ? [path + name] : []
  }
}
