import LedgerJSON
import LedgerLog
import LedgerModel

/// What the calls about the profile say about erased answers and edits: each call has one answer, an edit is
/// erased once the backend has it, and its own answer is erased with it (docs/log-format.md, Erasing).
///
/// Cases that the log leaves open are not reported.
private struct ErasedAnswers {
  struct Answer {
    var run: ErasureRun
    var line: Erasures.Line
    /// Whether it can be the answer to a registration, which has no call in the log.
    var isOfRegistration: Bool

    var isAcknowledgement: Bool { line.type == EventKind.syncAcknowledged.rawValue }
  }

  private let replacedAt: Int
  /// Erased answers that are yet to come.
  private var coming: ArraySlice<Answer>
  /// The last call about each group without an answer; a group has one call at a time.
  private var open: [ProfileSubject: SyncAttempted] = [:]
  /// Erased answers with their calls.
  private var pairs: [(answer: Answer, call: SyncAttempted)] = []
  /// The first records of runs with the answer to a registration.
  private var ofRegistrations: Set<Int> = []
  /// Edits that an answer which is left acknowledges.
  private var acknowledged: Set<Seq> = []
  /// For each edit, the answers left that acknowledge it, and the last event that undoes it.
  private var acknowledgements: [Seq: [Int]] = [:]
  private var undone: [Seq: Int] = [:]
  private var damage: Damage?

  init(_ answers: [Answer], replacedAt: Int) {
    coming = answers[...]
    self.replacedAt = replacedAt
  }

  /// Takes the erased answers before an event.
  mutating func settle(before seq: Int) {
    while let answer = coming.first, answer.line.seq < seq {
      coming.removeFirst()
      guard !answer.isOfRegistration else {
        ofRegistrations.insert(answer.run.firstRecord)
        continue
      }
      guard let subject = answer.run.subject, let call = open.removeValue(forKey: subject) else {
        damage = damage ?? answer.line.damage("but no call about the profile had this answer")
        continue
      }
      pairs.append((answer, call))
    }
  }

  /// - Parameter isInErasure: an acknowledgement there takes the place of an erased one.
  mutating func note(_ payload: Event.Payload, at seq: Int, isInErasure: Bool) {
    settle(before: seq)
    switch payload {
    case .syncAttempted(let data):
      guard let subject = data.profileSubject else { return }
      open[subject] = data
      // What is acknowledged is not sent again, unless the account was created again.
      refuse { [replacedAt] answer, call in
        answer.isAcknowledgement && answer.line.seq > replacedAt
          && data.events.contains(where: call.events.contains)
      }
    case .syncAcknowledged(let data):
      acknowledged.formUnion(data.events)
      for edit in data.events { acknowledgements[edit, default: []].append(seq) }
      if !isInErasure { close(data.call, data.events) }
    case .syncRejected(let data): close(data.call)
    case .syncDeferred(let data): close(data.call)
    case .syncDiffered(let data): close(data.call)
    case .editUndone(let data): undone[data.event] = seq
    default: break
    }
  }

  /// A call whose edits are acknowledged has no answer any more.
  private mutating func close(_ call: CallID?, _ events: [Seq] = []) {
    for (subject, last) in open
    where last.call == call || !events.isEmpty && Set(last.events).isSubset(of: events) {
      open[subject] = nil
    }
    guard let call else { return }
    refuse { $1.call == call }
  }

  private mutating func refuse(where isWrong: (Answer, SyncAttempted) -> Bool) {
    guard damage == nil, let (answer, _) = pairs.last(where: { isWrong($0.answer, $0.call) }) else {
      return
    }
    damage = answer.line.damage("but the call about the profile had another answer")
  }

  /// The first other edit that lost its answer, or erased edit that was neither acknowledged nor undone.
  func damage(
    of runs: [ErasureRun], isUndone: (Int) throws(LogError) -> Bool,
    isReplaced: (ClosedRange<Int>) throws(LogError) -> Bool
  ) throws(LogError) -> Damage? {
    if let damage { return damage }
    if let damage = try undoneDamage(of: runs, isReplaced) { return damage }
    var answered: [Int: Set<Seq>] = [:]
    for (answer, call) in pairs where answer.isAcknowledgement {
      let edits = Set(answer.run.taken.map { $0.line.seq })
      guard acknowledged.isSuperset(of: call.events.filter { !edits.contains($0.number) }) else {
        return answer.line.damage("but another edit that it acknowledged is not acknowledged")
      }
      answered[answer.run.firstRecord, default: []].formUnion(call.events)
    }
    for run in runs where !ofRegistrations.contains(run.firstRecord) {
      let known = acknowledged.union(answered[run.firstRecord, default: []])
      for (line, part) in run.taken where part == .fieldEdit && !known.contains(Seq(line.seq)) {
        guard try isUndone(line.seq) else { return line.damage("before the backend had it") }
      }
    }
    return nil
  }

  /// The first edit that was undone as if never sent, though the backend had acknowledged it: an undo
  /// cancels such an edit only after the account was created again.
  ///
  /// - Parameter isReplaced: whether it was, between two events.
  private func undoneDamage(
    of runs: [ErasureRun], _ isReplaced: (ClosedRange<Int>) throws(LogError) -> Bool
  ) throws(LogError) -> Damage? {
    for run in runs {
      for (line, part) in run.taken where part == .fieldEdit {
        let edit = Seq(line.seq)
        guard let undone = undone[edit] else { continue }
        let erased = pairs.filter { $0.answer.isAcknowledgement && $0.call.events.contains(edit) }
        let answers = erased.map(\.answer.line.seq) + acknowledgements[edit, default: []]
        guard let last = answers.filter({ $0 > line.seq && $0 < undone }).max(),
          try !isReplaced(last...undone)
        else { continue }
        return line.damage("but event \(undone) undoes it, which the backend had")
      }
    }
    return nil
  }
}

extension SyncAttempted {
  /// The group of profile fields that the call is about.
  fileprivate var profileSubject: ProfileSubject? {
    switch path {
    case "/api/v1/users/me": .profile
    case "/api/v1/users/me/physical": .physical
    case "/api/v1/users/me/preferences": .preferences
    default: nil
    }
  }
}

extension LedgerState {
  /// The first violation of an erasure of fields that calls and answers show.
  func answerDamage(in runs: [ErasureRun], of view: LogView) throws(LogError) -> Damage? {
    let ofFields = runs.filter { $0.subject != nil }
    guard !ofFields.isEmpty else { return nil }
    let answers = try erasedAnswers(in: ofFields, of: view)
    let erasures = try written(by: runs, in: view)
    var found = ErasedAnswers(answers, replacedAt: bindings.replacedAt)
    var edits = Set(ofFields.flatMap { $0.taken.map(\.line.seq) })
    for subject in ProfileSubject.allCases { edits.formUnion(profile.edits(of: subject)) }
    for number in mentions.mentions(of: edits).sorted() {
      guard let seq = Seq(exactly: number) else { continue }
      let payload = try view.line(seq).event().event.payload
      let isInErasure = erasures.contains { $0.contains(number) }
      found.note(payload, at: number, isInErasure: isInErasure)
      if !isInErasure, let damage = repetition(in: payload, at: number, ofFields) { return damage }
    }
    found.settle(before: .max)
    return try found.damage(
      of: ofFields,
      isUndone: { edit throws(LogError) in try isUndone(edit, in: view) },
      isReplaced: { seqs throws(LogError) in try isReplaced(in: seqs, of: view) })
  }

  private func erasedAnswers(
    in runs: [ErasureRun], of view: LogView
  ) throws(LogError) -> [ErasedAnswers.Answer] {
    var answers: [ErasedAnswers.Answer] = []
    for run in runs {
      for (line, _) in run.taken where line.isAnswer {
        answers.append(
          .init(run: run, line: line, isOfRegistration: try isOfRegistration(line, run, in: view)))
      }
    }
    return answers.sorted { $0.line.seq < $1.line.seq }
  }

  /// Whether an erased answer can be that to a registration: it acknowledges a date of birth and follows the
  /// sign-in, with at most the name and the date in between.
  private func isOfRegistration(
    _ line: Erasures.Line, _ run: ErasureRun, in view: LogView
  ) throws(LogError) -> Bool {
    guard line.type == EventKind.syncAcknowledged.rawValue,
      run.mayName(.dateOfBirth)
    else { return false }
    for distance in 1...3 {
      guard let seq = Seq(exactly: line.seq - distance) else { return false }
      switch EventKind(rawValue: try view.line(seq).event().event.payload.type) {
      case .accountSignedIn: return true
      case .profileUpdated, .physicalUpdated: continue
      default: return false
      }
    }
    return false
  }

  /// Whether the account was created again between two events.
  private func isReplaced(
    in seqs: ClosedRange<Int>, of view: LogView
  ) throws(LogError) -> Bool {
    if bindings.replacedAt <= seqs.upperBound { return seqs.contains(bindings.replacedAt) }
    var isReplaced = false
    try view.forEachEvent { recorded, _ in
      if case .accountReplaced = recorded.event.payload {
        isReplaced = seqs.contains(recorded.seq.number)
      }
      return !isReplaced && recorded.seq.number < seqs.upperBound
    }
    return isReplaced
  }

  /// What erasures wrote: their records, and the acknowledgements and deletions right after these.
  private func written(
    by runs: [ErasureRun], in view: LogView
  ) throws(LogError) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for run in runs where run.firstRecord > ranges.last?.upperBound ?? 0 {
      ranges.append(run.firstRecord...(try end(of: run, in: view)))
    }
    return ranges
  }

  /// The first erased edit of which an answer is left that repeats its value.
  private func repetition(
    in payload: Event.Payload, at seq: Int, _ runs: [ErasureRun]
  ) -> Damage? {
    let (events, values): ([Seq], JSONObject?) =
      switch payload {
      case .syncAcknowledged(let data): (data.events, data.remote)
      case .syncRejected(let data): (data.events, data.body?.object)
      default: ([], nil)
      }
    guard let values else { return nil }
    let named = Set(events.map(\.number))
    for run in runs {
      // A call for this edit alone sent one of its fields.
      let edits = run.taken.filter { $0.part == .fieldEdit }.map(\.line)
      if case .syncAcknowledged(let data) = payload, data.via == .response,
        named.isSubset(of: edits.map(\.seq)), !run.knownFields.isEmpty, !values.members.isEmpty,
        !run.knownFields.contains(where: { values[$0.rawValue] != nil }),
        let edit = edits.first(where: { named.contains($0.seq) })
      {
        return edit.damage("but event \(seq), the answer to it, has none of the fields")
      }
      for (line, part) in run.taken where part == .fieldEdit && named.contains(line.seq) {
        // The backend may have rounded a height.
        let isRepeated = run.knownFields.contains { field in
          field != .heightCM && values[field.rawValue]?.isNull == false
            && !isSet(field, between: line.seq, and: seq, runs)
        }
        if isRepeated { return line.damage("but event \(seq), which repeats what it had, is not") }
      }
    }
    return nil
  }

  private func isSet(
    _ field: ProfileField, between edit: Int, and seq: Int, _ runs: [ErasureRun]
  ) -> Bool {
    profile.edits(setting: field).contains { $0 > edit && $0 < seq }
      || runs.contains { run in
        run.mayName(field)
          && run.taken.contains { $0.line.maySetField && $0.line.seq > edit && $0.line.seq < seq }
      }
  }
}

extension Erasures.Line {
  fileprivate var isAnswer: Bool {
    switch EventKind(rawValue: type) {
    case .syncAcknowledged, .syncRejected, .syncDiffered: true
    default: false
    }
  }
}
