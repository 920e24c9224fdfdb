import LedgerJSON
import LedgerModel

extension World {
  /// Answers a request with a fault of stored or shown values. The caller handles all others.
  mutating func answer(_ request: HTTPRequest, fault: ScriptedFault.Kind?) -> Reply {
    switch fault {
    case .forget(let lost):
      lose(lost)
      return answer(request)
    case .resetSession:
      sessions.revokeAll()
      return answer(request)
    case .lie(let lie): return answer(request, altering: .lie(lie))
    case .round(let decimals): return answer(request, altering: .round(decimals: decimals))
    case .omit(let member): return answer(request).without(member)
    case .badRow(let value): return answer(request).withUnreadableRow(value)
    case .dropBefore, .dropAfter, .statusBefore, .statusAfter, .delayBefore, .delay, .duplicate,
      .late, .refreshRace, .truncate, .garbage, .unwrapped, .rateLimit, nil:
      return answer(request)
    }
  }

  private mutating func answer(_ request: HTTPRequest, altering change: Alteration) -> Reply {
    alteration = change
    defer { alteration = nil }
    return answer(request)
  }

  package mutating func lose(_ lost: ScriptedFault.Loss) {
    switch lost {
    case .everything:
      accounts = [:]
      userOfEmail = [:]
      progress = ProgressTable()
      sleep = [:]
      sessions = SessionTable(
        accessTokenUses: configuration.accessTokenUses,
        accessTokenSeconds: configuration.accessTokenSeconds, ids: ids)
    case .profiles:
      // Sorted, so that a seed always gives the same ids.
      for user in accounts.keys.sorted(by: { $0.text < $1.text }) {
        accounts[user]?.loseProfile(newID: ids.uuid())
      }
    case .rows:
      progress = ProgressTable()
      sleep = [:]
    }
  }
}

extension Account {
  fileprivate mutating func loseProfile(newID: String) {
    profileID = newID
    profile = nil
    biologicalSex = nil
    heightCM = nil
    preferences = nil
  }
}

extension Reply {
  /// Removes a member of the data and of each listed row.
  fileprivate func without(_ member: String) -> Reply {
    changingData { data in
      data[member] = nil
      data.changeRows { rows in
        for index in rows.indices { rows[index][member] = nil }
      }
    }
  }

  /// Makes a value of the first listed row invalid.
  fileprivate func withUnreadableRow(_ value: ScriptedFault.BadValue) -> Reply {
    changingData { data in
      data.changeRows { rows in
        guard !rows.isEmpty else { return }
        rows[0][value.rawValue] = value.json
      }
    }
  }

  private func changingData(_ change: (inout JSONObject) -> Void) -> Reply {
    guard case .success(let status, .object(var data)?) = self else { return self }
    change(&data)
    return .success(status: status, data: .object(data))
  }
}

extension JSONObject {
  /// Changes the rows of a listing; other data is unchanged.
  fileprivate mutating func changeRows(_ change: (inout [JSONObject]) -> Void) {
    for name in ["entries", "sessions"] {
      guard case .array(let values)? = self[name] else { continue }
      var rows = values.compactMap(\.object)
      change(&rows)
      self[name] = .array(rows.map { .object($0) })
    }
  }
}

extension ScriptedFault.BadValue {
  fileprivate var json: JSONValue {
    switch self {
    case .type: "no_such_type"
    case .date: "no date"
    case .quantity: "no number"
    // A client may read a whole number as an id.
    case .id: 1.5
    }
  }
}

/// A fault's change of the values that a request stores or shows.
enum Alteration: Sendable {
  case lie(ScriptedFault.Lie)
  case round(decimals: Int)
}

extension World {
  /// Applies the current request's fault to a row.
  func altered(_ row: ProgressRow) -> ProgressRow {
    var row = row
    switch alteration {
    case .lie(let lie): row.apply(lie, now: now)
    case .round(let decimals): row.quantity = rounded(row.quantity, decimals)
    case nil: break
    }
    return row
  }

  /// Applies the current request's fault to a sleep session.
  func altered(_ session: SleepSession) -> SleepSession {
    var session = session
    switch alteration {
    case .lie(.notes): session.notes = session.notes == otherText ? nil : otherText
    case .lie(.moment): session.start.millisecondsSince1970 -= 3_600_000
    case .lie, .round, nil: break
    }
    return session
  }

  /// Applies the current request's fault to an account.
  func altered(_ account: Account) -> Account {
    guard case .lie(let lie) = alteration else { return account }
    var account = account
    account.apply(lie)
    return account
  }

  private func rounded(_ quantity: Double, _ decimals: Int) -> Double {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return (quantity * scale).rounded() / scale
  }
}

private let otherText = "Not what was sent"

extension ProgressRow {
  fileprivate mutating func apply(_ lie: ScriptedFault.Lie, now: Timestamp) {
    switch lie {
    case .quantity: quantity += metric.accepts(quantity + 1) ? 1 : -1
    case .type: metric = otherMetric
    case .notes: notes = notes == otherText ? nil : otherText
    case .moment: moment = otherMoment(now.wholeSeconds)
    case .name, .bio, .preferredUnitSystem, .languageCode, .dateOfBirth, .biologicalSex, .heightCM,
      .allergies, .dietaryRestrictions, .foodDislikes:
      break
    }
  }

  private var otherMetric: Metric {
    let others = Metric.allCases.filter { $0 != metric }
    return others.first { $0.accepts(quantity) } ?? others.first ?? metric
  }

  private func otherMoment(_ now: Timestamp) -> Timestamp {
    var other = now
    let difference = now.millisecondsSince1970 - moment.millisecondsSince1970
    // A client may treat moments a second apart as equal.
    if difference.magnitude < 60_000 { other.millisecondsSince1970 -= 3_600_000 }
    return other
  }
}

extension Account {
  fileprivate mutating func apply(_ lie: ScriptedFault.Lie) {
    switch lie {
    case .quantity, .type, .notes, .moment: break
    case .name, .bio, .preferredUnitSystem, .languageCode: profile?.apply(lie)
    case .dateOfBirth:
      dateOfBirth = dateOfBirth == .first ? .last : dateOfBirth.adding(days: -1)
    case .biologicalSex: biologicalSex = biologicalSex == "other" ? "male" : "other"
    case .heightCM: heightCM = heightCM.map { $0 < 299 ? $0 + 1 : $0 - 1 } ?? 100
    case .allergies: preferences?.allergies.append(otherText)
    case .dietaryRestrictions: preferences?.dietaryRestrictions.append(otherText)
    case .foodDislikes: preferences?.foodDislikes.append(otherText)
    }
  }
}

extension Profile {
  fileprivate mutating func apply(_ lie: ScriptedFault.Lie) {
    switch lie {
    case .name: name = name == otherText ? "Another name" : otherText
    case .bio: bio = bio == otherText ? nil : otherText
    case .preferredUnitSystem:
      preferredUnitSystem = preferredUnitSystem == "metric" ? "imperial" : "metric"
    case .languageCode: languageCode = languageCode == "en" ? "de" : "en"
    case .quantity, .type, .notes, .moment, .dateOfBirth, .biologicalSex, .heightCM, .allergies,
      .dietaryRestrictions, .foodDislikes:
      break
    }
  }
}
