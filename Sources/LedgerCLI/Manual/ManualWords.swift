/// What the manual page says that no command's table holds.
enum ManualWords {
  static let description = [
    "Every edit that a person makes is one line in a log that only grows, each line bound to the "
      + "one before by a hash. What is shown is rebuilt from it; 'ledger sync' carries to a backend "
      + "what it has not heard, and records each answer as one more line. So nothing is lost "
      + "offline, nothing is sent twice, and the whole story can be replayed.",
    "Without a command, it shows the status of the ledger that it finds, and what to do next. Data "
      + "goes to standard output, all else to standard error.",
  ]

  static let environment: [(name: String, meaning: String)] = [
    ("LEDGER_DIR", "the folder that holds events.jsonl, where --ledger names none"),
    (
      "LEDGER_PASSWORD, LEDGER_API_KEY",
      "what 'login' and 'register' would ask for; never an option, since others can see those"
    ),
    ("TZ", "the zone of days and times, where the setting 'zone' chooses none"),
    ("NO_COLOR", "not empty: no colours, unless --color asks for them"),
    ("COLUMNS", "how wide the output may be on a terminal"),
    ("LC_ALL, LC_CTYPE, LANG", "whether pictures may be drawn in Unicode: a locale of UTF-8"),
  ]

  static let files: [(name: String, meaning: String)] = [
    (".ledger/events.jsonl", "the log, one event a line; see docs/log-format.md"),
    (".ledger/head", "where the log ended when it was last written to"),
    (".ledger/settings.json", "what 'ledger settings' has chosen; may be deleted"),
    (".ledger/credentials.json", "the tokens of whoever is signed in, readable by the owner alone"),
    (".ledger/views.snapshot", "derived from the log, so that views come at once; may be deleted"),
    (".ledger/listing.json", "what the last sync knew of the backend's rows; may be deleted"),
    (".ledger/verified", "how far the log was last checked; may be deleted"),
  ]
}
