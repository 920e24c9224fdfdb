import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerProjections

/// What a ledger keeps of a registration.
extension LedgerStore {
  /// Whether the rules would refuse to record this person.
  ///
  /// - Parameter today: the day in the ledger's zone.
  /// - Throws: `Refusal`.
  public static func checkRegistration(
    name: String, dateOfBirth: CalendarDate, today: CalendarDate
  ) throws(Refusal) {
    for change in [
      Edit.Change.updateProfile(ProfileUpdated(name: name)),
      .updatePhysical(PhysicalUpdated(dateOfBirth: dateOfBirth)),
    ] {
      _ = try LedgerModel.decide(change, given: NoFacts(), today: today)
    }
  }

  /// Records a registration that the backend has accepted, in one durable write: the sign-in, the name
  /// as an edit that waits to be sent, and the birth date as acknowledged by the registration. What
  /// the ledger has already is not recorded again.
  ///
  /// - Throws: ``LogError``.
  public func recordRegistration(
    _ signIn: AccountSignedIn, name: String, dateOfBirth: CalendarDate, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    // A long fold is done before the lock is taken; under it only what came in between.
    _ = try verifiedState()
    try log.withSession { session in
      let state = try catchUp(to: session.view(), verifies: true)
      var payloads: [(by: Actor, payload: Event.Payload)] = []
      if !state.account.isSignedIn(signIn) { payloads.append((.system, .accountSignedIn(signIn))) }
      if state.profileView().name != name {
        payloads.append((.user, .profileUpdated(ProfileUpdated(name: name))))
      }
      var told = state.openEditsOfBirthDateAlone()
      if state.profileView().dateOfBirth != dateOfBirth {
        told.append(Seq(state.position.seq + payloads.count + 1))
        payloads.append((.user, .physicalUpdated(PhysicalUpdated(dateOfBirth: dateOfBirth))))
      }
      if !told.isEmpty {
        let acknowledged = SyncAcknowledged(
          call: .make(at: now, using: &generator), events: told, status: 201, via: .response,
          remote: ["date_of_birth": .string(dateOfBirth.description)])
        payloads.append((.sync, .syncAcknowledged(acknowledged)))
      }
      let events = payloads.map { by, payload in
        Event(id: .make(at: now, using: &generator), at: now, by: by, payload: payload)
      }
      if !events.isEmpty { _ = try session.append(events, using: &generator) }
    }
  }
}

extension AccountTable {
  /// Whether the log's last sign-in says the same of who is signed in, and is still in force.
  package func isSignedIn(_ signIn: AccountSignedIn) -> Bool {
    guard let current else { return false }
    return current.account == signIn.account && current.origin == signIn.origin
      && (signIn.userID == nil || current.userID == signIn.userID)
  }
}

extension LedgerState {
  /// Edits that wait to be sent and set nothing but the birth date.
  fileprivate func openEditsOfBirthDateAlone() -> [Seq] {
    let others = Set(
      profile.edits(setting: .heightCM) + profile.edits(setting: .biologicalSex))
    let listed = Set(profile.edits(of: .physical))
    return profile.edits(setting: .dateOfBirth).filter { seq in
      listed.contains(seq) && !others.contains(seq) && edits.state(seq).isOpen
    }.map { Seq($0) }
  }
}
