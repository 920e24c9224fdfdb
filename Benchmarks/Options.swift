/// What was asked for on the command line.
struct Options {
  var isSmoke = false
  var asJSON = false
  /// Whether to measure the commands of `ledger` as the log grows, instead of the cases.
  var isOfGrowth = false
  /// A folder in which to make a log, instead of measuring anything.
  var grownPath: String?
  var wantsHelp = false
  var seed: UInt64 = 1
  var names: Set<String> = []
  var baseline: String?
  private var givenEvents: Int?
  private var givenRounds: Int?

  /// A smoke run is there to see that every case works: seconds even in a debug build.
  var events: Int { givenEvents ?? (isSmoke ? 2000 : 200_000) }
  var rounds: Int { givenRounds ?? (isSmoke ? 2 : 9) }
  var growthEvents: Int { givenEvents ?? 1_000_000 }
  var growthRounds: Int { givenRounds ?? (isSmoke ? 1 : 5) }

  static let help = """
    Usage: LedgerBenchmarks [--smoke] [--events N] [--rounds N] [--seed N] [--case NAME]… [--json]
                            [--compare BASELINE.json]
       or: LedgerBenchmarks --growth [--smoke] [--events N] [--rounds N] [--seed N]
       or: LedgerBenchmarks --grow FOLDER [--events N] [--seed N]

      --smoke       tiny sizes: says that every case works, not how fast it is
      --events N    how many events the log holds, 100 or more (200000; 2000 with --smoke)
      --rounds N    how often every case is measured (9; 2 with --smoke)
      --seed N      what the events are drawn from (1); equal seeds give equal logs
      --case NAME   only this case; may be given several times
      --growth      the commands of 'ledger' on logs of 10,000 to a million events instead, or to ten
                    million with --events 10000000, which needs 8 GB of disk
      --grow FOLDER makes the ledger of such a log, to try things with
      --json        one JSON object instead of a table
      --compare F   also says what got slower or faster, beyond noise, since F was printed by --json;
                    exit 3 when something got slower

    Cases: \(Case.names.joined(separator: ", "))
    """

  init(_ arguments: some Sequence<String>) throws(UsageProblem) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      switch option {
      case "--smoke": isSmoke = true
      case "--json": asJSON = true
      case "--growth": isOfGrowth = true
      case "--grow":
        guard let path = rest.popFirst() else {
          throw UsageProblem(sentence: "--grow needs a folder that is not there yet")
        }
        grownPath = path
      case "--help", "-h": wantsHelp = true
      case "--events": givenEvents = try Self.number(of: option, rest.popFirst(), from: 100)
      case "--rounds": givenRounds = try Self.number(of: option, rest.popFirst(), from: 1)
      case "--seed": seed = UInt64(try Self.number(of: option, rest.popFirst(), from: 0))
      case "--compare":
        guard let path = rest.popFirst() else {
          throw UsageProblem(sentence: "--compare needs a file that --json has printed")
        }
        baseline = path
      case "--case": names.insert(try Self.name(rest.popFirst()))
      default: throw UsageProblem(sentence: "'\(option)' is not an option; see --help")
      }
    }
  }

  private static func number(
    of option: String, _ text: String?, from lowest: Int
  ) throws(UsageProblem) -> Int {
    guard let number = text.flatMap({ Int($0) }), number >= lowest else {
      throw UsageProblem(sentence: "\(option) needs a whole number from \(lowest) on")
    }
    return number
  }

  private static func name(_ text: String?) throws(UsageProblem) -> String {
    guard let text, Case.names.contains(text) else {
      throw UsageProblem(
        sentence: "--case needs one of: " + Case.names.joined(separator: ", "))
    }
    return text
  }
}

struct UsageProblem: Error {
  var sentence: String
}
