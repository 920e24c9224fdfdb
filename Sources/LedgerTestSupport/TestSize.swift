import LedgerPlatform

/// How much the property tests do: a little by default, everything with `LEDGER_TESTS=full`
/// (docs/reliability.md).
package enum TestSize {
  private static let isFull = getenv("LEDGER_TESTS").map { String(cString: $0) } == "full"

  package static func of<Size>(_ short: Size, full: Size) -> Size { isFull ? full : short }
}
