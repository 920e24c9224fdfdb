import LedgerJSON
import LedgerModel

/// The members of a request's body. Unknown members and nulls are refused.
struct BodyMembers {
  private let object: JSONObject

  init(_ body: [UInt8], allowed: [String]) throws(APIError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body)
    } catch {
      throw .invalid("The body is not valid JSON: \(error)")
    }
    guard case .object(let object) = value else {
      throw .invalid("The body must be a JSON object")
    }
    for member in object.members {
      guard allowed.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) else {
        throw .invalid("Unknown field: \(member.name)")
      }
      guard member.value != .null else { throw .invalid("\(member.name) must not be null") }
    }
    self.object = object
  }

  var isEmpty: Bool { object.members.isEmpty }

  func has(_ name: String) -> Bool { object[name] != nil }

  func text(_ name: String) throws(APIError) -> String? {
    guard let value = object[name] else { return nil }
    guard case .string(let text) = value else { throw .invalid("\(name) must be a string") }
    return text
  }

  func requiredText(_ name: String) throws(APIError) -> String {
    guard let text = try text(name) else { throw missing(name) }
    return text
  }

  func number(_ name: String) throws(APIError) -> Double? {
    guard let value = object[name] else { return nil }
    guard case .number(let number) = value else { throw .invalid("\(name) must be a number") }
    return number
  }

  func requiredNumber(_ name: String) throws(APIError) -> Double {
    guard let number = try number(name) else { throw missing(name) }
    return number
  }

  func texts(_ name: String) throws(APIError) -> [String]? {
    guard let value = object[name] else { return nil }
    guard case .array(let values) = value else {
      throw .invalid("\(name) must be a list of strings")
    }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else {
        throw .invalid("\(name) must be a list of strings")
      }
      texts.append(text)
    }
    return texts
  }

  func objects(_ name: String) throws(APIError) -> [JSONObject]? {
    guard let value = object[name] else { return nil }
    guard let objects = value.array?.map(\.object), !objects.contains(nil) else {
      throw .invalid("\(name) must be a list of objects")
    }
    return objects.compactMap(\.self)
  }

  func date(_ name: String) throws(APIError) -> CalendarDate? {
    guard let text = try text(name) else { return nil }
    guard let date = CalendarDate(text) else {
      throw .invalid("\(name) must be a real date in the form YYYY-MM-DD")
    }
    return date
  }

  /// A day, or the local day of an RFC 3339 time.
  func dateOrMoment(_ name: String) throws(APIError) -> CalendarDate? {
    guard let text = try text(name) else { return nil }
    if let date = CalendarDate(text) { return date }
    guard Timestamp(rfc3339: text) != nil, let date = CalendarDate(text.prefix(10)) else {
      throw .invalid("\(name) must be a real date in the form YYYY-MM-DD or of RFC 3339")
    }
    return date
  }

  /// - Parameter lengths: counted in Unicode scalars.
  func text(_ name: String, lengths: ClosedRange<Int>) throws(APIError) -> String? {
    guard let text = try text(name) else { return nil }
    guard lengths.contains(text.unicodeScalars.count) else {
      throw .invalid(
        "\(name) must be \(lengths.lowerBound) to \(lengths.upperBound) characters long")
    }
    return text
  }

  func word(_ name: String, of words: [String]) throws(APIError) -> String? {
    guard let text = try text(name) else { return nil }
    guard words.contains(text) else {
      throw .invalid("\(name) must be one of \(words.joined(separator: ", "))")
    }
    return text
  }

  /// `Preferred unit system is required` for `preferred_unit_system`.
  func missing(_ name: String) -> APIError {
    let words = name.split(separator: "_").joined(separator: " ")
    return .invalid("\(words.prefix(1).uppercased())\(words.dropFirst()) is required")
  }
}
