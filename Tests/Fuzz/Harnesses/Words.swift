import LedgerModel

@testable import LedgerCLI

/// Any words after `ledger`: they are understood or refused, in sentences without control
/// characters, and what was parsed is what was typed. Nothing is run.
///
/// Words end at NUL bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let words = array(bytes, count).split(separator: 0, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
  _ = ConsoleSettings(scanning: words)
  switch catalog.plan(words) {
  case .run(let spec, let arguments): check(arguments, of: spec, words)
  case .help(let topic): checkShown { catalog.show(topic, on: $0) }
  case .forward(_, let forwarded): require(forwarded == words, "other words are handed on")
  case .refuse(let failure): checkShown { catalog.refuse(failure, on: $0) }
  }
  for word in words { checkValues(word) }
  return 0
}

private let catalog = LocalCommands.catalog

private func check(_ arguments: ParsedArguments, of spec: CommandSpec, _ words: [String]) {
  for option in spec.allOptions {
    guard option.takesValue else {
      _ = arguments.flag(option.name)
      continue
    }
    for value in arguments.options(option.name) {
      require(
        words.contains { $0 == value || $0.unicodeScalars.ends(with: value) },
        "--\(option.name) has a value that was not given: \(value.debugDescription)")
      require(
        option.allowed.isEmpty || option.allowed.contains(value), "a value that is not allowed")
    }
  }
  for (index, argument) in spec.arguments.enumerated() {
    let given = arguments.argument(argument.name)
    require(given.map(words.contains) ?? true, "an argument that was not given")
    if argument.isRequired, given == nil {
      finding("\(spec.name) runs without \(argument.name), argument \(index)")
    }
  }
}

extension String.UnicodeScalarView {
  /// By scalars: a combining mark after an equals sign is a value of its own.
  fileprivate func ends(with value: String) -> Bool {
    reversed().starts(with: value.unicodeScalars.reversed())
  }
}

private func checkShown(_ show: (Console) -> ExitCode) {
  let output = MemorySink()
  let error = MemorySink()
  let console = Console(
    .captured(output: output, error: error), ConsoleSettings(scanning: []))
  let code = show(console)
  require([.done, .usage].contains(code), "shown with exit code \(code)")
  for text in [output.text, error.text] {
    require(
      text.unicodeScalars.allSatisfy { $0 == "\n" || !($0.value < 32 || $0.value == 127) },
      "control characters are shown: \(text.debugDescription)")
  }
}

/// What commands read single words as.
private func checkValues(_ word: String) {
  if let date = CalendarDate(word) { require("\(date)" == word, "a date is read loosely: \(word)") }
  _ = ClockTime(word)
  let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
  _ = try? MomentParser(now: now, zone: .current).moment(word, of: "--at", as: .end)
  _ = try? BlameArgument(word)
  for metric in [Metric.weight, .distanceKM, .sleepHours] {
    if let amount = try? Quantity.parse(word, for: metric) {
      require(amount.isFinite, "a quantity is not a number: \(word)")
    }
  }
}
