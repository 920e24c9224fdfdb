import LedgerJSON

extension World {
  /// Answers a request under a fault that concerns what is stored or shown; any other fault is the
  /// caller's.
  mutating func answer(_ request: HTTPRequest, meeting fault: Fault.Kind?) -> Reply {
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

  /// Loses data of all accounts.
  mutating func lose(_ lost: Fault.Loss) {
    switch lost {
    case .everything:
      accounts = [:]
      userOfEmail = [:]
      progress = ProgressTable()
      sessions = SessionTable(
        accessTokenUses: configuration.accessTokenUses,
        accessTokenSeconds: configuration.accessTokenSeconds, ids: ids)
    case .profiles:
      // Sorted, so that the same source of randomness gives the same ids.
      for user in accounts.keys.sorted(by: { $0.text < $1.text }) {
        accounts[user]?.loseProfile(newID: ids.uuid())
      }
    case .rows:
      progress = ProgressTable()
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
  /// The same reply with a member of its data, and of each listed row, left out.
  fileprivate func without(_ member: String) -> Reply {
    changingData { data in
      data[member] = nil
      data.changeRows { rows in
        for index in rows.indices { rows[index][member] = nil }
      }
    }
  }

  /// The same reply with a value in its first listed row that cannot be read.
  fileprivate func withUnreadableRow(_ value: Fault.BadValue) -> Reply {
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
  /// Changes the rows of a listing; data of another kind stays as it is.
  fileprivate mutating func changeRows(_ change: (inout [JSONObject]) -> Void) {
    guard case .array(let values)? = self["entries"] else { return }
    var rows = values.compactMap(\.object)
    change(&rows)
    self["entries"] = .array(rows.map { .object($0) })
  }
}

extension Fault.BadValue {
  fileprivate var json: JSONValue {
    switch self {
    case .type: "no_such_type"
    case .date: "no date"
    case .quantity: "no number"
    case .id: 7
    }
  }
}
