import LedgerModel

extension Edit.Change {
  /// The payload of the resulting event, if nothing in it is rounded.
  var payload: Event.Payload {
    switch self {
    case .updateProfile(let data): .profileUpdated(data)
    case .updatePhysical(let data): .physicalUpdated(data)
    case .updatePreferences(let data): .preferencesUpdated(data)
    case .logProgress(let data): .progressLogged(data)
    case .correctProgress(let data): .progressCorrected(data)
    case .deleteProgress(let data): .progressDeleted(data)
    case .logSleep(let data): .sleepLogged(data)
    case .correctSleep(let data): .sleepCorrected(data)
    case .deleteSleep(let data): .sleepDeleted(data)
    case .setGoal(let data): .goalSet(data)
    case .removeGoal(let data): .goalRemoved(data)
    }
  }
}
