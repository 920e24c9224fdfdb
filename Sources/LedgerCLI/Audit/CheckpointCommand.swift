import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore

enum CheckpointCommand: Command {
  static let spec = CommandSpec(
    "checkpoint", "write a short text that binds the log as it is now, to keep elsewhere",
    group: .check,
    options: [
      .output("-"),
      .value("key", "SSHKEY", "sign it with this SSH key; the signature goes to FILE.sig"),
    ],
    examples: [
      CommandExample("ledger checkpoint -o ledger.checkpoint"),
      CommandExample("ledger checkpoint -o ledger.checkpoint --key ~/.ssh/id_ed25519"),
      CommandExample(
        "ledger verify --checkpoint ledger.checkpoint",
        "whether a later log still passes through it, and what was erased since"),
    ],
    notes: [
      "Six lines: 'ledger checkpoint v1', the ledger's id, the last event, its hash, the erased "
        + "events, the time. The whole log is checked first.",
      "The signature is made by 'ssh-keygen -Y sign -n ledger'. What it proves depends on where the "
        + "checkpoint is kept: docs/audit.md says when to make one, and how to have it witnessed.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = arguments.option("output") ?? "-"
    let key = arguments.option("key")
    if path == "-", key != nil || console.json {
      throw OutputFile.needed(by: console.json ? "--json" : "--key")
    }
    // It would be taken for that of the new checkpoint, which it does not fit.
    if path != "-", key == nil, access(path + ".sig", F_OK) == 0 {
      throw CommandFailure(
        .usage, "\(path).sig signs the checkpoint that \(path) has now",
        hint: "sign the new one, too, with --key SSHKEY, name another file, or remove \(path).sig")
    }
    let opened = try OpenedLedger.open(arguments, console)
    let checkpoint = try ReadLedger(arguments, console).checkingWhole {
      try opened.ledger.checkpoint(at: opened.now)
    }
    guard path != "-" else {
      try console.write(checkpoint.text)
      return .done
    }
    let bytes = Array(checkpoint.text.utf8)
    let signature = try key.map { try CheckpointFile.signature(of: bytes, key: $0) }
    let file = try OutputFile(path, outside: opened.directory)
    let signatureFile = try signature.map { bytes in
      let file = try OutputFile(path + ".sig", outside: opened.directory)
      try file.write(bytes)
      return file
    }
    try file.write(bytes)
    // In this order a crash leaves a signature that does not match, not an unsigned checkpoint.
    try signatureFile?.commit()
    try file.commit()
    try answer(checkpoint, path, signatureFile?.path, console)
    return .done
  }

  private static func answer(
    _ checkpoint: Checkpoint, _ path: String, _ signature: String?, _ console: Console
  ) throws {
    if console.json {
      let object = JSONObject([
        "path": path, "seq": checkpoint.seq, "hash": checkpoint.hash.description,
        "erased": checkpoint.erased.reduce(0) {
          $0 + $1.upperBound.number - $1.lowerBound.number + 1
        }, "signature": signature,
      ])
      return try console.line(object.serialized)
    }
    let signed = signature.map { ", signed: \(console.shown($0))" } ?? ""
    try console.line(
      "\(console.paint.green("✓")) \(console.shown(path)): event \(checkpoint.seq)\(signed)")
  }
}
