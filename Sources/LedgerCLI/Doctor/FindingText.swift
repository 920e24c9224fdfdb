import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore

struct FindingText {
  /// What is so and what that means, without a full stop.
  var sentence: String
  /// What the user can do, without a full stop.
  var advice: String?
  /// The command for it, ready to be copied.
  var command: String?

  init(_ finding: Finding, in directory: LedgerDirectory) {
    self =
      switch finding.kind {
      case .file(let finding): Self.text(of: finding, in: directory)
      case .state(let finding): Self.text(of: finding, in: directory)
      case .log(let finding): Self.text(of: finding)
      }
    if command == nil, finding.repair != nil { command = "ledger doctor --repair" }
  }

  private init(_ sentence: String, advice: String? = nil, command: String? = nil) {
    (self.sentence, self.advice, self.command) = (sentence, advice, command)
  }

  // MARK: Files

  private static func text(of finding: FileFinding, in directory: LedgerDirectory) -> Self {
    switch finding {
    case .allPrivate(let count): Self("\(counted(count, "file")), private and yours")
    case .openToOthers(let file, let wanted):
      Self(
        "\(name(file, directory)) is open to other users (mode \(octal(file.mode)) where "
          + "\(octal(wanted)) should be): they can see what you log", advice: "keep others out")
    case .closedToOwner(let file, let wanted):
      Self(
        "\(name(file, directory)) is closed to its owner (mode \(octal(file.mode)) where "
          + "\(octal(wanted)) should be): it cannot be both read and written")
    case .credentialsExposed(let file):
      Self(
        "credentials.json is open to other users (mode \(octal(file.mode))): its tokens may be "
          + "known, so they are not used",
        advice: "remove it and sign in again, which ends the old tokens",
        command: "rm \(ShellText.word(file.path)) && ledger login")
    case .foreignFolder(let owner, let user):
      Self(
        "the ledger's folder belongs to user \(owner), and you are user \(user): what "
          + "you write here may be closed to its owner",
        advice: "use the ledger as the user whom it belongs to")
    case .foreignFile(let file, let ledgerOwner):
      Self(
        "\(file.name) belongs to user \(file.owner), and the ledger to user \(ledgerOwner), who "
          + "may be unable to use it", advice: "give it back to the ledger's owner",
        command: "sudo chown \(ledgerOwner) \(ShellText.word(file.path))")
    case .wrongKind(let file, let wanted, let isLog):
      Self(
        "\(file.name) is \(found(file.kind)) where "
          + "\(wanted == .folder ? "a folder" : "a regular file") must be; it is not used",
        advice: isLog
          ? "put the log itself in its place, from a copy if need be" : "move it out of the folder")
    case .unknown(let name): Self("\(name) is not a file of a ledger; nothing reads it")
    case .leftover(let file):
      Self(
        "\(file.name) (\(size(file.sizeBytes))) is an unfinished temporary file; "
          + "nothing reads it")
    case .quarantine(let count, let bytes):
      Self(
        "quarantine/ holds \(counted(count, "file")) (\(size(bytes))) that repairs have set aside; "
          + "no view uses them", advice: "look at them, and delete what you do not need",
        command: "ls -l \(ShellText.word(directory.quarantine))")
    case .quarantineUnreadable(let failure): Self(failure.description)
    case .diskFree(let bytes): Self("\(size(bytes)) free")
    case .diskLow(let bytes):
      Self(
        "the disk has \(size(bytes)) left; when it is full, edits are refused", advice: "make room")
    }
  }

  private static func name(_ file: FileFacts, _ directory: LedgerDirectory) -> String {
    file.path == directory.path ? "the ledger's folder" : file.name
  }

  private static func found(_ kind: FileFacts.Kind) -> String {
    switch kind {
    case .regular: "a file"
    case .folder: "a folder"
    case .link: "a link"
    case .other: "no file"
    }
  }

  /// As `ls` and `chmod` write it: `0644`.
  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// `980 bytes`, `12 kB`, `3.4 MB`.
  private static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1000: counted(bytes, "byte")
    case ..<1_000_000: "\(NumberText.decimal(Double(bytes) / 1e3, decimals: 0)) kB"
    case ..<1_000_000_000: "\(NumberText.decimal(Double(bytes) / 1e6, decimals: 1)) MB"
    default: "\(NumberText.decimal(Double(bytes) / 1e9, decimals: 1)) GB"
    }
  }

  // MARK: The log

  private static let restore =
    "restore events.jsonl from a copy that 'ledger verify' finds right"
  private static let upToBreak = "ledger replay --up-to-break"

  private static func damage(_ sentence: String) -> Self {
    Self(sentence, advice: "see what is still whole, and \(restore)", command: upToBreak)
  }

  private static func text(of finding: LogFinding) -> Self {
    switch finding {
    case .whole(let lastSeq):
      Self("ends whole at event \(NumberText.count(lastSeq.number)), as head says")
    case .missing(let error): Self(error.description, advice: restore)
    case .unreadable(let error): Self(error.description)
    case .cutShort(let found), .headDisagrees(let found): damage(found.description)
    case .tailDamaged(let error): damage(error.description)
    case .headMissing: noHead("missing")
    case .headUnreadable: noHead("not readable")
    case .headBehind(let events):
      Self(
        "\(counted(events, "whole event")) \(events == 1 ? "follows" : "follow") after head, as "
          + "after a crash during an append; the next append makes them durable")
    case .tornTail(let bytes):
      Self(
        "the log's last \(counted(bytes, "byte")) are an incomplete event, as after a crash; "
          + "nothing that was acknowledged is lost",
        advice: "move them to quarantine/, as the next append does")
    case .chainWhole(let head):
      Self("every line follows from the one before; head \(head.description.prefix(16))…")
    case .chainPart(let part): Self(checked(part))
    case .chainBroken(let found):
      damage("\(found.description); everything before it is as it was written")
    case .erasuresUnchecked(let found):
      Self(
        "every line follows from the one before, but events were erased, and whether they could be "
          + "is unknown: line \(found.line ?? 0): \(found.problem)",
        advice: "see which events cannot be understood", command: "ledger doctor --strict")
    case .clock: Self("not before the last event")
    case .clockBehind(let now, let last):
      Self(
        "this machine's clock says \(now), and the last event was recorded at \(last): edits made "
          + "now would be dated wrong; their order stays right", advice: "set the clock")
    case .eventsUnderstood(let count): Self("\(counted(count, "event")), all understood")
    case .eventsUnreadable(let count, let first, let problem):
      Self(
        "\(counted(count, "event")) cannot be understood, first event \(first): \(problem)",
        advice: "the lines are whole, so another program wrote them wrong; see what comes "
          + "before them", command: upToBreak)
    case .newerVersions(let counts):
      Self(
        "\(list(counts)) newer than this program, so no view can be shown",
        advice: "use the newer ledger that wrote them; nothing is wrong with the log")
    case .unknownTypes(let counts):
      Self(
        "\(list(counts)) of types that this version does not know: kept, counted, "
          + "and left out of the views")
    case .folded(let live, let deleted):
      Self("\(counted(live, "entry", "entries")) live, \(NumberText.count(deleted)) deleted")
    case .foldFails(let found): damage(found.description)
    case .noneInDoubt: Self("no edit for more than a day")
    case .longInDoubt(let edits, let oldest):
      Self(
        "\(counted(edits, "edit")) \(edits == 1 ? "was" : "were") sent more than a day ago (the "
          + "first at \(oldest)) and never answered for: the backend may have "
          + (edits == 1 ? "it" : "them"), advice: "a sync asks the backend", command: "ledger sync")
    }
  }

  private static func noHead(_ what: String) -> Self {
    Self(
      "head is \(what), so a cut log would not be noticed: whether the last event here is the "
        + "last one written cannot be known",
      advice: "rewrite it from the log")
  }

  private static func checked(_ part: PartialVerification) -> String {
    let seqs = part.seqs.map {
      "events \(NumberText.count($0.lowerBound.number)) to \(NumberText.count($0.upperBound.number))"
    }
    let rest =
      part.isComplete
      ? "the ones before them were checked earlier"
      : "the next run goes on from there, and --strict checks all at once"
    return
      "of \(counted(part.lastSeq?.number ?? 0, "event")), \(seqs ?? "none") were checked now; \(rest)"
  }

  /// `3 events (a.b: 2, first event 7; c.d: 1, first event 9) are`
  private static func list(_ counts: [LogFinding.TypeCount]) -> String {
    let total = counts.reduce(0) { $0 + $1.count }
    let names = counts.map {
      "\($0.type): \(NumberText.count($0.count)), first event \($0.first)"
    }
    return "\(counted(total, "event")) (\(names.joined(separator: "; "))) "
      + (total == 1 ? "is" : "are")
  }

  // MARK: The other files

  private static func text(of finding: StateFinding, in directory: LedgerDirectory) -> Self {
    let remove = "have it removed; the next view makes another"
    return switch finding {
    case .noSnapshot: Self("none, which costs only time: each command reads the whole log")
    case .snapshotUsable(let seq):
      Self("opens the ledger from event \(NumberText.count(seq.number)) on")
    case .snapshotUnusable:
      Self(
        "views.snapshot is incomplete, or of another log or version; it is not used, which only costs "
          + "time", advice: remove)
    case .snapshotRight: Self("the same as those of the whole log")
    case .snapshotDiffers:
      Self(
        "views.snapshot differs from the log, so views shown before may have been wrong; the log itself "
          + "is intact", advice: remove)
    case .settings(let chosen):
      Self(chosen == 0 ? "the defaults" : "\(counted(chosen, "setting")) chosen")
    case .settingsUnreadable(let reason):
      Self(reason, command: "rm \(ShellText.word(directory.settings))")
    case .settingInvalid(let key, let value, let reason):
      Self(
        "the setting \(key) is \(quoted(value)): \(reason)",
        advice: "choose another value, or go back to the default",
        command: "ledger settings --unset \(key)")
    case .settingUnknown(let name):
      Self(
        "settings.json has \(quoted(name)), which this version does not know; it is kept and "
          + "left alone")
    case .noCredentials: Self("none: not signed in")
    case .credentials: Self("readable, for you alone")
    case .credentialsUnreadable(let failure): Self(failure.description)
    case .credentialsMalformed:
      Self(
        "credentials.json is not what signing in writes, so nothing can be sent",
        advice: "remove it and sign in again; no event is lost",
        command: "rm \(ShellText.word(directory.credentials)) && ledger login")
    case .locksFree: Self("free")
    case .ledgerLockHeld:
      Self(
        "another program has held ledger.lock for \(LogFormat.lockWaitSeconds) s, so nothing can "
          + "be written", advice: "wait for it, or end it if it hangs")
    case .syncRunning: Self("sync.lock is held: a sync is running, which may take long")
    case .signInRunning: Self("auth.lock is held: tokens are being renewed")
    case .lockUnusable(let error): Self("\(error.description); nothing can be written")
    }
  }

  // MARK: Repairs

  /// What was done, without a full stop.
  static func text(of outcome: Repair.Outcome) -> String {
    switch outcome {
    case .modeSet(let old, let new): "mode \(octal(old)) → \(octal(new))"
    case .logOpened(let repairs, let oldHead): text(of: repairs, oldHead)
    case .snapshotRemoved: "removed; nothing in it is lost"
    case .snapshotReplaced: "already removed or replaced"
    case .leftoverRemoved: "removed; nothing in it ever counted"
    case .missing: "already removed"
    }
  }

  private static func text(of repairs: [LogRepair], _ oldHead: String?) -> String {
    var done = repairs.map { repair in
      switch repair {
      case .headWasMissing: "head written again"
      case .adopted(let events): "\(counted(events, "event")) made durable"
      case .quarantined(let bytes, let file):
        "\(counted(bytes, "byte")) moved to quarantine/\(file)"
      }
    }
    if let oldHead { done.append("the old head is \(oldHead)") }
    return done.isEmpty ? "already repaired by another program" : done.joined(separator: "; ")
  }
}
