import Foundation
import LedgerKit
import LedgerTestSupport
import Testing

// The README's example, between the marks, exactly as it stands there.
// README>
func keepADiary(in folder: String) async throws -> [String] {
  let ledger = try await Ledger.open(at: folder, device: "phone")
  let entry = try await ledger.log(.weight, 75.5, notes: "after the run")
  try await ledger.append(
    .updateProfile(ProfileUpdated(name: "Ada", preferredUnitSystem: .metric)))
  try await ledger.correct(entry.id, quantity: 75.1)
  let page = try await ledger.progress(ProgressQuery(metric: .weight, limit: 10))
  return page.entries.map { "\($0.date) \($0.quantity) kg \($0.status.rawValue)" }
}
// <README

struct ReadmeExampleTests {
  @Test("The README's example shows the corrected quantity as pending")
  func itSaysWhatItDoes() async throws {
    let folder = try TemporaryFolder()
    let lines = try await keepADiary(in: folder.path + "/.ledger")
    withExtendedLifetime(folder) {}
    #expect(lines.count == 1)
    #expect(lines[0].hasSuffix("75.1 kg pending"))
  }

  @Test("The README shows the code that is tested")
  func theReadmeShowsTheCodeThatIsTested() throws {
    let here = URL(filePath: #filePath)
    let readme = here.deletingLastPathComponent().appending(path: "../../README.md")
    let source = try String(contentsOf: here, encoding: .utf8)
    let code = try #require(source.components(separatedBy: "// README>\n").dropFirst().last)
    let shown = try #require(code.components(separatedBy: "// <README").first)
    let text = try String(contentsOf: readme, encoding: .utf8)
    #expect(text.contains("import LedgerKit\n\n" + shown + "```"))
  }
}
