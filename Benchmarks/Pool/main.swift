import Foundation

let words = CommandLine.arguments.dropFirst()
guard words.count <= 1, let entries = Int(words.first ?? "50000"), entries > 0 else {
  FileHandle.standardError.write(Data("usage: LedgerPoolBenchmark [ENTRIES]\n".utf8))
  exit(2)
}
let folder = FileManager.default.temporaryDirectory
  .appending(path: "ledger-pool-\(UUID())", directoryHint: .notDirectory)
defer { try? FileManager.default.removeItem(at: folder) }
print(try await PoolStalls.measure(entries: entries, at: folder.path(percentEncoded: false)))
