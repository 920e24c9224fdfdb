/// One thing that happens, with all chance in it fixed by its own seed, so that leaving out others
/// changes nothing about it.
struct Step: Sendable, CustomStringConvertible {
  enum Act: Hashable, Sendable {
    case edit, note, look, snapshot
    /// An entry that is to be forgotten some day, and the forgetting of any.
    case confide, erase
    /// The deletion of an entry.
    case withdraw
    /// An entry is logged, corrected or deleted; a suspicion or a conflict is decided. In stories of
    /// several devices.
    case change, decideSuspicion, decideConflict
    /// A name, a height or allergies.
    case changeProfile
    /// The import of a file with these entries.
    case importFile(seed: UInt64)
    /// Runs of so many devices that take turns.
    case sync(together: Bool)
    /// The same, sending again what the backend lacks.
    case resend(together: Bool)
    /// The backend keeps a copy of its rows, or goes back to the last one; without one it loses all.
    case backUp, restoreBackup
    /// The account is deleted and registered again, or loses only its profile.
    case loseAccount, loseProfile
    case powerCut, restart, rot, compareFolds
    /// The device's clock jumps.
    case jump(milliseconds: Int64)
    case pass(milliseconds: Int64)
  }

  var act: Act
  var device: Int
  var seed: UInt64
  var diskFaults: DiskFaults?
  var networkFaults = NetworkFaults.fair

  var description: String {
    var text = "device \(device): "
    switch act {
    case .edit: text += "edit"
    case .note: text += "append notes"
    case .confide: text += "log a secret"
    case .erase: text += "erase an entry"
    case .withdraw: text += "delete an entry"
    case .change: text += "log, correct or delete an entry"
    case .changeProfile: text += "change the profile"
    case .importFile: text += "import a file"
    case .decideSuspicion: text += "decide a suspicion"
    case .decideConflict: text += "decide a conflict"
    case .look: text += "look at the ledger"
    case .snapshot: text += "write a snapshot"
    case .sync(let together): text += together ? "all devices sync" : "sync"
    case .resend(let together): text += together ? "all devices resend" : "resend"
    case .backUp: text += "the backend backs up its rows"
    case .restoreBackup: text += "the backend restores its backup"
    case .loseAccount: text += "the account is deleted and registered again"
    case .loseProfile: text += "the backend loses the profile"
    case .powerCut: text += "power cut"
    case .restart: text += "programs restart"
    case .rot: text += "a bit rots"
    case .compareFolds: text += "compare folds"
    case .jump(let milliseconds): text += "its clock jumps by \(milliseconds) ms"
    case .pass(let milliseconds): text += "\(milliseconds) ms pass"
    }
    if let diskFaults { text += "; disk: \(diskFaults)" }
    if networkFaults != .fair { text += "; network: \(networkFaults)" }
    return text + String(seed, radix: 16, uppercase: false).withPrefix(" (seed 0x") + ")"
  }
}

extension String {
  fileprivate func withPrefix(_ prefix: String) -> String { prefix + self }
}
