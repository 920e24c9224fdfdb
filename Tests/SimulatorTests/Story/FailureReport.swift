/// What a person is told of a seed that fails.
enum FailureReport {
  /// - Parameter test: the name of the test whose stories they are.
  static func text(
    _ story: Story, _ violation: Violation, test: String = "SimulatorTests.stories"
  ) -> String {
    let (short, violation) = Shrinking().shortest(story, violation)
    var lines = ["seed \(story.seed): \(violation)"]
    lines.append("\(short.devices) device(s), \(short.isOnline ? "a backend" : "no backend"):")
    lines += short.steps.enumerated().map { "  \($0 + 1). \($1)" }
    lines.append(
      "to repeat it: LEDGER_SIMULATOR_FIRST=\(story.seed) LEDGER_SIMULATOR_SEEDS=1 "
        + "swift test --filter \(test)")
    if SimulatorTests.asked == 1 {
      for (device, log) in violation.logs.enumerated() {
        lines.append("log of device \(device):")
        lines.append(String(decoding: log, as: UTF8.self))
      }
    }
    return lines.joined(separator: "\n")
  }
}
