import LedgerJSON
import LedgerLog
package import LedgerModel
import LedgerProjections

extension LedgerStore {
  /// Checks a person's data against the rules for edits.
  ///
  /// - Parameters:
  ///   - dateOfBirth: `nil` to check the name alone.
  ///   - today: the day in the ledger's zone.
  /// - Throws: `Refusal`.
  package static func checkRegistration(
    name: String, dateOfBirth: CalendarDate?, today: CalendarDate
  ) throws(Refusal) {
    for change in [
      Edit.Change.updateProfile(ProfileUpdated(name: name)),
      dateOfBirth.map { .updatePhysical(PhysicalUpdated(dateOfBirth: $0)) },
    ] {
      if let change { _ = try LedgerModel.decide(change, given: NoFacts(), today: today) }
    }
  }

  /// Records a registration that the backend has accepted, in one durable write: the sign-in, the name
  /// as an edit still to be sent, and the birth date as acknowledged by the registration. What the
  /// ledger already has is not recorded again.
  ///
  /// - Throws: ``LogError``.
  package func recordRegistration(
    _ signIn: AccountSignedIn, name: String, dateOfBirth: CalendarDate, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    try transaction(from: .verifiedState) { transaction in
      let state = try transaction.ledger().state
      let profile = state.profileView()
      var payloads: [(by: Event.Actor, payload: Event.Payload)] = []
      if !state.account.isSignedIn(signIn) { payloads.append((.system, .accountSignedIn(signIn))) }
      if profile.name != name {
        payloads.append((.user, .profileUpdated(ProfileUpdated(name: name))))
      }
      var acknowledged = state.openEditsOfBirthDateAlone()
      if profile.dateOfBirth != dateOfBirth {
        acknowledged.append(Seq(state.position.seq + payloads.count + 1))
        payloads.append((.user, .physicalUpdated(PhysicalUpdated(dateOfBirth: dateOfBirth))))
      }
      if !acknowledged.isEmpty {
        let answer = SyncAcknowledged(
          call: .make(at: now, using: &generator), events: acknowledged, status: 201,
          via: .response, remote: ["date_of_birth": .string(dateOfBirth.description)])
        payloads.append((.sync, .syncAcknowledged(answer)))
      }
      let events = payloads.map { by, payload in
        Event(payload, by: by, at: now, using: &generator)
      }
      if !events.isEmpty { _ = try transaction.append(events, using: &generator) }
    }
  }
}

extension AccountTable {
  /// Whether the sign-in in force has the same account and origin and, if given, user id.
  package func isSignedIn(_ signIn: AccountSignedIn) -> Bool {
    guard let current else { return false }
    return current.account == signIn.account && current.origin == signIn.origin
      && (signIn.userID == nil || current.userID == signIn.userID)
  }
}

extension LedgerState {
  /// Unsent edits that set only the birth date.
  fileprivate func openEditsOfBirthDateAlone() -> [Seq] {
    let others = Set(
      profile.edits(setting: .heightCM) + profile.edits(setting: .biologicalSex))
    let listed = Set(profile.edits(of: .physical))
    return profile.edits(setting: .dateOfBirth).filter { seq in
      listed.contains(seq) && !others.contains(seq) && edits.state(seq).isOpen
    }.map { Seq($0) }
  }
}
