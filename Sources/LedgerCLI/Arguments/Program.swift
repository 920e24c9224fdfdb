/// What a person types: the helpers answer to it too, since nobody calls them by name.
package enum Program {
  package static let name = "ledger"
  package static let version = "0.1.0"
  /// The day of that version, which the manual page bears.
  package static let released = "2026-11-21"
  package static let summary = "keeps a person's health record as a log that only grows"
}
