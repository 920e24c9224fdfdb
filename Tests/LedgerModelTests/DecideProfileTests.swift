import LedgerJSON
import LedgerModel
import Testing

private let today = CalendarDate("2026-07-20")!

/// The sentence of a refusal, or `nil` if the change was accepted unchanged.
private func refusal(_ change: Edit.Change, on day: CalendarDate = today) -> String? {
  do throws(Refusal) {
    let payload = try decide(change, given: NoFacts(), today: day)
    return payload == change.payload ? nil : "changed to \(payload)"
  } catch {
    return error.description
  }
}

@Suite struct DecideProfileTests {
  /// The backend counts Unicode scalars: each of these emoji has seven.
  private let family = "👨‍👩‍👧‍👦"

  @Test("A name has 1 to 100 characters")
  func namesHaveOneToAHundredCharacters() {
    func name(_ text: String) -> String? { refusal(.updateProfile(.init(name: text))) }
    #expect(name("") == "name is empty; it needs at least one character")
    #expect(name("x") == nil)
    #expect(name(String(repeating: "é", count: 100)) == nil)
    #expect(
      name(String(repeating: "é", count: 101)) == "name has 101 characters; it may have 100")
    #expect(name(String(repeating: family, count: 14)) == nil)
    #expect(
      name(String(repeating: family, count: 15)) == "name has 105 characters; it may have 100")
  }

  @Test("A bio has at most 500 characters")
  func biosHaveUpToFiveHundredCharacters() {
    func bio(_ change: FieldChange<String>) -> String? {
      refusal(.updateProfile(.init(bio: change)))
    }
    #expect(bio(.clear) == nil && bio(.set("")) == nil)
    #expect(bio(.set(String(repeating: "b", count: 500))) == nil)
    #expect(
      bio(.set(String(repeating: "b", count: 501))) == "bio has 501 characters; it may have 500")
  }

  @Test("A language code is a BCP 47 tag")
  func languages() {
    func language(_ change: FieldChange<String>) -> String? {
      refusal(.updateProfile(.init(languageCode: change)))
    }
    #expect(language(.clear) == nil && language(.set("de-AT")) == nil)
    #expect(
      language(.set("de_AT"))
        == "language_code is \"de_AT\"; it must be a BCP 47 tag such as en or de-AT")
  }

  @Test("A height is between 0 and 300 cm")
  func heights() {
    func height(_ value: Double) -> String? { refusal(.updatePhysical(.init(heightCM: value))) }
    #expect(height(0.1) == nil && height(170.5) == nil && height(299.999) == nil)
    for (value, shown) in [
      (0, "0"), (-0.0, "0"), (-1, "-1"), (300, "300"), (1e15, "1000000000000000"),
    ] {
      #expect(
        height(value) == "height_cm is \(shown); it must be more than 0 and less than 300")
    }
    #expect(height(.nan) == "height_cm is nan; it must be more than 0 and less than 300")
    #expect(height(.infinity) == "height_cm is inf; it must be more than 0 and less than 300")
  }

  @Test("A computed height is rounded to the 15 digits that a log holds")
  func roundsHeights() throws {
    let feet = 5.7 * 30.48
    #expect(feet == 173.73600000000002)
    #expect(
      try decide(.updatePhysical(.init(heightCM: feet)), given: NoFacts(), today: today)
        == .physicalUpdated(.init(heightCM: 173.736)))
  }

  @Test("A birth date is not in the future")
  func birthDates() throws {
    func born(_ date: CalendarDate) -> String? {
      refusal(.updatePhysical(.init(dateOfBirth: date)))
    }
    #expect(born(today) == nil && born(.first) == nil)
    #expect(
      born(today.adding(days: 1))
        == "date_of_birth is 2026-07-21; it must not be in the future (today is 2026-07-20)")
  }

  @Test("Empty preference lists are accepted")
  func preferences() {
    #expect(refusal(.updatePreferences(.init(allergies: []))) == nil)
    #expect(refusal(.updatePreferences(.init(foodDislikes: ["kale", ""]))) == nil)
  }

  /// For example, an edit with a misspelled member.
  @Test("An edit that changes nothing is refused", arguments: [JSONObject(), ["nmae": "Zoë"]])
  func refusesAnEditThatChangesNothing(data: JSONObject) throws {
    #expect(
      refusal(.updateProfile(try .init(data: data)))
        == "profile.updated changes nothing; give name, bio, preferred_unit_system or "
        + "language_code")
    #expect(
      refusal(.updatePhysical(try .init(data: data)))
        == "physical.updated changes nothing; give biological_sex, height_cm or date_of_birth")
    #expect(
      refusal(.updatePreferences(try .init(data: data)))
        == "preferences.updated changes nothing; give allergies, dietary_restrictions or "
        + "food_dislikes")
  }

  @Test("Unknown members are kept with a change")
  func keepsUnknownMembersBesideAChange() throws {
    let data: JSONObject = ["name": "Zoë", "pronouns": "she"]
    let payload = try decide(
      .updateProfile(try .init(data: data)), given: NoFacts(), today: today)
    #expect(payload.data == data)
  }
}
