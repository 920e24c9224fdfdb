import LedgerJSON
import LedgerModel

extension World {
  /// `GET /users/me`
  func readProfile(of account: Account) throws(APIError) -> Reply {
    guard let json = altered(account).profileJSON else { throw .notFound("Profile") }
    return .ok(json)
  }

  /// `POST /users/me`
  mutating func createProfile(_ body: [UInt8], of account: Account) throws(APIError) -> Reply {
    let fields = try ProfileFields(body)
    guard account.profile == nil else { throw .conflict("Profile already exists") }
    let profile = Profile(
      name: fields.name, bio: fields.bio.flatMap { $0.isEmpty ? nil : $0 },
      preferredUnitSystem: fields.preferredUnitSystem, languageCode: fields.languageCode,
      createdAt: now, updatedAt: now)
    return .created(store(profile, in: account))
  }

  /// `PUT /users/me`: an empty bio clears it; a bio or language left out stays as it was.
  mutating func replaceProfile(_ body: [UInt8], of account: Account) throws(APIError) -> Reply {
    let fields = try ProfileFields(body)
    guard var profile = account.profile else { throw .notFound("Profile") }
    profile.name = fields.name
    profile.preferredUnitSystem = fields.preferredUnitSystem
    if let bio = fields.bio { profile.bio = bio.isEmpty ? nil : bio }
    if let languageCode = fields.languageCode { profile.languageCode = languageCode }
    profile.updatedAt = now
    return .ok(store(profile, in: account))
  }

  private mutating func store(_ profile: Profile, in account: Account) -> JSONValue {
    var account = account
    account.profile = profile
    return save(account).profileJSON ?? [:]
  }

  /// Stores the account as a fault alters it, and returns what was stored.
  mutating func save(_ account: Account) -> Account {
    let account = altered(account)
    accounts[account.userID] = account
    return account
  }

  /// `DELETE /users/me`: the account and all its data. Asked for again with a token from before,
  /// it is answered 404.
  mutating func deleteAccount(of user: UserID) throws(APIError) -> Reply {
    guard let account = accounts.removeValue(forKey: user) else { throw .notFound("User") }
    userOfEmail[account.email] = nil
    progress.removeAll(of: user)
    sessions.forbidRefreshing(for: user)
    return .noContent
  }

  /// `PATCH /users/me/physical`: needs a profile. The configuration decides whether a birth date may
  /// come alone, and what is answered.
  mutating func updatePhysical(_ body: [UInt8], of account: Account) throws(APIError) -> Reply {
    let members = try BodyMembers(
      body, allowed: ["biological_sex", "height_cm", "date_of_birth"])
    let sex = try members.word("biological_sex", of: ["male", "female", "other"])
    let height = try members.number("height_cm")
    if let height, !(height > 0 && height < 300) {
      throw .invalid("height_cm must be more than 0 and less than 300")
    }
    let dateOfBirth = try members.dateOrMoment("date_of_birth")
    if let dateOfBirth, dateOfBirth > today {
      throw .invalid("date_of_birth must not be in the future")
    }
    let mode = configuration.physical
    guard sex != nil || height != nil || (dateOfBirth != nil && mode.acceptsDateOfBirthAlone) else {
      throw .invalid("At least one of \(mode.requiredMembers) is required")
    }
    guard account.profile != nil else { throw .notFound("Profile") }

    var account = account
    if let sex { account.biologicalSex = sex }
    if let height { account.heightCM = height }
    if let dateOfBirth { account.dateOfBirth = dateOfBirth }
    account.profile?.updatedAt = now
    account = save(account)
    return .ok(mode.answersThreeFields ? account.physicalJSON : account.profileJSON ?? [:])
  }
}

extension BackendConfiguration.Physical {
  fileprivate var acceptsDateOfBirthAlone: Bool {
    switch self {
    case .strict, .threeFields: false
    case .published: true
    }
  }

  fileprivate var answersThreeFields: Bool {
    switch self {
    case .strict, .published: false
    case .threeFields: true
    }
  }

  fileprivate var requiredMembers: String {
    acceptsDateOfBirthAlone
      ? "biological_sex, height_cm and date_of_birth" : "biological_sex and height_cm"
  }
}

/// The body that POST and PUT of a profile share.
private struct ProfileFields {
  let name: String
  let preferredUnitSystem: String
  /// Empty to clear it.
  let bio: String?
  let languageCode: String?

  init(_ body: [UInt8]) throws(APIError) {
    let members = try BodyMembers(
      body, allowed: ["name", "preferred_unit_system", "bio", "language_code"])
    guard let name = try members.text("name", lengths: 1...100) else {
      throw members.missing("name")
    }
    guard
      let system = try members.word("preferred_unit_system", of: ["metric", "imperial"])
    else { throw members.missing("preferred_unit_system") }
    self.name = name
    preferredUnitSystem = system
    bio = try members.text("bio", lengths: 0...500)
    languageCode = try members.text("language_code")
    if let languageCode, !ProfileFields.looksLikeLanguage(languageCode) {
      throw .invalid("language_code must be a language tag such as en or pt-BR")
    }
  }

  /// The outer shape of BCP 47: letters, then parts of letters and digits.
  private static func looksLikeLanguage(_ code: String) -> Bool {
    let parts = code.split(separator: "-", omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    } && parts[0].allSatisfy(\.isLetter)
  }
}
