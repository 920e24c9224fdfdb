import LedgerModel

/// Guesses why a header has not the column that a person named, to say what to do about it. Nothing
/// is read by a guess.
struct HeaderGuess {
  private let columns: [String]

  init(_ columns: [String]) {
    self.columns = columns
  }

  /// - Parameter listed: the names, for where only they help.
  func advice(seeking wanted: String, listed: String) -> String {
    if let mark = separator {
      return "its columns seem to be separated by \(mark); save it with commas between the columns "
        + "and points for decimals"
    }
    if let near = columns.first(where: { plain($0) == plain(wanted) }) {
      return "its columns are \(listed); did you mean '\(near)'?"
    }
    guard let data = columns.first(where: looksLikeData) else { return "its columns are \(listed)" }
    return "its first row seems to be data ('\(data.prefix(60))'); put a row with the names of the "
      + "columns above it"
  }

  private var separator: String? {
    guard columns.count == 1, let only = columns.first else { return nil }
    if only.contains(";") { return "semicolons" }
    if only.contains("\t") { return "tabs" }
    return only.contains("|") ? "bars" : nil
  }

  private func plain(_ name: String) -> String {
    String(name.filter { !$0.isWhitespace && $0 != "_" && $0 != "\u{FEFF}" }).lowercased()
  }

  private func looksLikeData(_ name: String) -> Bool {
    let text = name.trimmingSpaces
    guard text.utf8.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true else { return false }
    return text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || Array("-/.:, T+".utf8).contains(byte)
    }
  }
}
