import LedgerModel

/// How a fault changes the values that a request stores or shows.
enum Alteration: Sendable {
  case lie(Fault.Lie)
  case round(decimals: Int)
}

extension World {
  /// The row as the current request's fault alters it.
  func altered(_ row: ProgressRow) -> ProgressRow {
    var row = row
    switch alteration {
    case .lie(let lie): row.apply(lie, now: now)
    case .round(let decimals): row.quantity = rounded(row.quantity, decimals)
    case nil: break
    }
    return row
  }

  /// The account as the current request's fault alters it.
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
  fileprivate mutating func apply(_ lie: Fault.Lie, now: Timestamp) {
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
    // A client may count moments as equal that are a second apart.
    if difference.magnitude < 60_000 { other.millisecondsSince1970 -= 3_600_000 }
    return other
  }
}

extension Account {
  fileprivate mutating func apply(_ lie: Fault.Lie) {
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
  fileprivate mutating func apply(_ lie: Fault.Lie) {
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
