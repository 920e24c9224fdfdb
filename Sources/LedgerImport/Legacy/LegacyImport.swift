import LedgerJSON
public import LedgerModel

/// Reads the profile that the old app kept: one JSON object.
///
/// `gender` is the biological sex, `height` the height in centimetres, `weight` an entry in
/// kilograms. docs/import.md has the other names. What has no place here is told by its name.
public enum LegacyImport {
  /// The most that a profile may hold: the old app's own have some hundred bytes.
  static let limitBytes = 1 << 20

  /// - Parameter today: the day of a weight whose file names none.
  /// - Throws: ``ImportError`` for what is no JSON object, or cannot be read.
  public static func read(
    _ source: ImportSource, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var profile = LegacyProfile(file: source.name, today: today)
    profile.take(try object(source, context))
    return profile.finish(context)
  }

  private static func object(
    _ source: ImportSource, _ context: ImportContext
  ) throws(ImportError) -> JSONObject {
    let stream = try ByteStream(opening: source, progress: context.progress)
    var bytes: [UInt8] = []
    while true {
      let piece = try stream.next()
      if piece.isEmpty { break }
      bytes += piece
      guard bytes.count <= limitBytes else {
        throw ImportError(
          .unfit,
          "\(source.name) is larger than \(limitBytes) bytes; it is no profile of one person")
      }
    }
    guard !bytes.isEmpty else {
      throw ImportError(.unfit, "\(source.name) is empty; it should be the old app's profile")
    }
    if let kind = ForeignFile.kind(of: bytes) {
      throw ImportError(
        .unfit, "\(source.name) is \(kind); give the old app's profile, JSON in UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImportError(.unfit, "\(source.name) is no valid UTF-8; save it as JSON in UTF-8")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, rules: .wire)
    } catch {
      throw ImportError(.unfit, "\(source.name) is no JSON that can be read: \(error)")
    }
    guard let object = value.object else {
      throw ImportError(
        .unfit, "\(source.name) is no profile; that is one JSON object with gender, height, weight")
    }
    return object
  }
}
