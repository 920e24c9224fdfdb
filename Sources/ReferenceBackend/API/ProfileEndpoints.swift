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

  /// `PUT /users/me`. An empty bio clears it; a missing bio or language stays unchanged.
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

  /// Stores the account as altered by the request's fault.
  ///
  /// - Returns: the stored account.
  private mutating func save(_ account: Account) -> Account {
    let account = altered(account)
    accounts[account.userID] = account
    return account
  }

  /// `DELETE /users/me`: deletes the account and its data. A second call with an older token is
  /// answered 404.
  mutating func deleteAccount(of user: UserID) throws(APIError) -> Reply {
    guard let account = accounts.removeValue(forKey: user) else { throw .notFound("User") }
    userOfEmail[account.email] = nil
    progress.removeAll(of: user)
    sleep[user] = nil
    sessions.forbidRefreshing(for: user)
    return .noContent
  }

  /// `PATCH /users/me/physical`. Needs a profile; see ``BackendConfiguration/Physical``.
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
    return .ok(mode == .threeFields ? account.physicalJSON : account.profileJSON ?? [:])
  }

  /// `GET /users/me/preferences`
  func readPreferences(of account: Account) throws(APIError) -> Reply {
    guard let preferences = altered(account).preferences else { throw .notFound("Preferences") }
    return .ok(preferences.json)
  }

  /// `PATCH /users/me/preferences`. Replaces the given lists; the others are empty at first.
  mutating func updatePreferences(
    _ body: [UInt8], of account: Account
  ) throws(APIError) -> Reply {
    let members = try BodyMembers(
      body, allowed: ["allergies", "dietary_restrictions", "food_dislikes"])
    guard !members.isEmpty else {
      throw .invalid(
        "At least one of allergies, dietary_restrictions and food_dislikes is required")
    }
    var account = account
    var preferences =
      account.preferences
      ?? Preferences(
        id: ids.uuid(), profileID: account.profileID, createdAt: now, updatedAt: now)
    preferences.updatedAt = now
    if let list = try members.texts("allergies") { preferences.allergies = list }
    if let list = try members.texts("dietary_restrictions") {
      preferences.dietaryRestrictions = list
    }
    if let list = try members.texts("food_dislikes") { preferences.foodDislikes = list }
    account.preferences = preferences
    return .ok(save(account).preferences?.json ?? [:])
  }

  /// `DELETE /users/me/preferences`
  mutating func deletePreferences(of account: Account) throws(APIError) -> Reply {
    guard account.preferences != nil else { throw .notFound("Preferences") }
    accounts[account.userID]?.preferences = nil
    return .noContent
  }
}

extension BackendConfiguration.Physical {
  fileprivate var acceptsDateOfBirthAlone: Bool { self == .published }

  fileprivate var requiredMembers: String {
    acceptsDateOfBirthAlone
      ? "biological_sex, height_cm and date_of_birth" : "biological_sex and height_cm"
  }
}

/// The body of POST and PUT of a profile.
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

  /// The outer form of BCP 47: letters, then parts of letters and digits.
  private static func looksLikeLanguage(_ code: String) -> Bool {
    let parts = code.split(separator: "-", omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    } && parts[0].allSatisfy(\.isLetter)
  }
}

extension World {
  /// `POST /auth/register`
  mutating func register(_ body: [UInt8]) throws(APIError) -> Reply {
    let members = try BodyMembers(body, allowed: ["email", "password", "name", "date_of_birth"])
    let email = try members.requiredText("email").lowercased()
    guard isAddress(email) else { throw .invalid("email must be an e-mail address") }
    let password = try members.requiredText("password")
    guard !password.isEmpty else { throw .invalid("password must not be empty") }
    guard let name = try members.text("name", lengths: 1...100) else {
      throw members.missing("name")
    }
    guard let dateOfBirth = try members.dateOrMoment("date_of_birth") else {
      throw members.missing("date_of_birth")
    }
    guard isThirteen(bornOn: dateOfBirth) else {
      throw .invalid("You must be at least 13 years old to register")
    }
    guard userOfEmail[email] == nil else {
      throw .conflict("An account with this email already exists")
    }

    let account = Account(
      userID: UserID(text: ids.uuid()), email: email, password: password, name: name,
      createdAt: now, dateOfBirth: dateOfBirth, profileID: ids.uuid())
    accounts[account.userID] = account
    userOfEmail[email] = account.userID
    let tokens = sessions.open(for: account.userID, now: now)
    return .created([
      "user_id": .string(account.userID.text), "email": .string(email), "name": .string(name),
      "created_at": .string(account.createdAt.rfc3339Seconds),
      "access_token": .string(tokens.access), "refresh_token": .string(tokens.refresh),
    ])
  }

  /// `POST /auth/login`. An unknown email and a wrong password have the same answer.
  mutating func login(_ body: [UInt8]) throws(APIError) -> Reply {
    let members = try BodyMembers(body, allowed: ["email", "password"])
    let email = try members.requiredText("email").lowercased()
    let password = try members.requiredText("password")
    guard let user = userOfEmail[email], accounts[user]?.password == password else {
      throw .unauthorized("Invalid email or password")
    }
    return answer(with: sessions.open(for: user, now: now))
  }

  /// `POST /auth/refresh`. The token works once; sent again, it revokes its session.
  mutating func refresh(_ body: [UInt8]) throws(APIError) -> Reply {
    let members = try BodyMembers(body, allowed: ["refresh_token"])
    let token = try members.requiredText("refresh_token")
    do {
      return answer(with: try sessions.refresh(token, now: now))
    } catch {
      switch error {
      case .unknown: throw .unauthorized("invalid refresh token")
      case .revoked: throw .unauthorized("refresh token has been revoked")
      }
    }
  }

  private func answer(with tokens: SessionTable.Tokens) -> Reply {
    .ok(["access_token": .string(tokens.access), "refresh_token": .string(tokens.refresh)])
  }

  /// Whether the 13th birthday is today or past. In a common year a birthday on 29 February is on
  /// 1 March.
  private func isThirteen(bornOn birth: CalendarDate) -> Bool {
    let (year, month, day) = birth.components
    return (year + 13, month, day) <= today.components
  }

  /// Whether it has text before and after one at sign, without spaces.
  private func isAddress(_ email: String) -> Bool {
    // By scalars, because a combining mark after the sign would merge with it into one character.
    let halves = email.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
    return halves.count == 2 && halves.allSatisfy { !$0.isEmpty }
      && !email.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 }
  }
}
