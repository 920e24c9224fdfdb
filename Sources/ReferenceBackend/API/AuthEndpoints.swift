import LedgerJSON
import LedgerModel

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
