/// The commands that `ledger-sync` runs. `LedgerNetworkCLI` has their code; their specs are here, so
/// that help, manual and completion need no other program.
package enum NetworkCommandSpecs {
  package static var all: [CommandSpec] {
    [sync, login, register, logout, deleteAccount, backend, demo]
  }

  package static let sync = CommandSpec(
    "sync", "send pending edits to the backend and pull what is new there",
    group: .sync,
    options: [
      .flag("dry-run", "print each call exactly as it would be sent, and send nothing"),
      .flag("pull-only", "reconcile lost answers and pull, send no edit"),
      .flag(
        "push-only",
        "send without pulling, except where sending needs it: other changes of other devices are not seen"
      ),
      .flag("full", "list all rows of the backend, however recently that was done"),
      .flag(
        "resend",
        "after the account was created again or lost its data: send again what the backend lacks"),
      .flag("accept-deletions", "delete here what is missing at the backend, however much it is"),
      .flag("watch", "continue until stopped: after every edit, and once a minute; see below"),
      .flag("trace", "show each request and its answer on standard error, secrets masked"),
    ],
    examples: [
      CommandExample("ledger sync"),
      CommandExample("ledger sync --dry-run --json", "one call a line, byte for byte"),
      CommandExample("ledger sync --resend --dry-run", "what would be sent again"),
      CommandExample("ledger sync --watch", "a daemon; Ctrl-C or SIGTERM stops it cleanly"),
    ],
    notes: [
      "Each call is recorded before it is sent and its answer after: a call is never repeated "
        + "blindly, and a second sync sends nothing.",
      "Its last line counts edits that were acknowledged, or were already at the backend: then a row "
        + "there has the same values, and none is made. Changes pulled are new or changed entries, "
        + "sessions and fields of the profile.",
      "With --watch, an edit, SIGUSR1 and, on Linux, a change of the network end a pause at once, "
        + "except one that the backend asked for (Retry-After). Changes of other devices come every "
        + "quarter of an hour.",
      "Exit 5 when a person is needed: an edit was refused or waits for another one, a conflict or "
        + "suspected duplicate is open, a row cannot be read, the account was created again, or sign "
        + "in again. 75 when the backend cannot be reached, was not read completely or asked to wait: "
        + "nothing is lost, try again.",
      "Most runs list the newest rows only; all rows are listed once a day, when their number is not "
        + "the expected one, and with --full. Only then a run says that the backend has everything.",
      "A run stops before anything is recorded when the account was created again, or when it would "
        + "delete a large part of the entries. --resend and --accept-deletions are the two ways on.",
    ])

  package static let login = CommandSpec(
    "login", "sign in to a backend", group: .sync, options: signInOptions,
    examples: [
      CommandExample("ledger login --base-url https://api.example.com --email ada@example.com")
    ],
    notes: [
      signInNote,
      "A ledger belongs to the account of its first sign-in; another's is refused. An account of the "
        + "same address that was created again is signed in to, with exit code 5: 'ledger sync "
        + "--resend' or 'ledger sync --accept-deletions' is the next step.",
    ])

  package static let register = CommandSpec(
    "register", "make an account at a backend and sign in", group: .sync, options: signInOptions,
    examples: [
      CommandExample("ledger register --base-url https://api.example.com --email ada@example.com")
    ],
    notes: [
      "Name and birth date come from the ledger, or are asked for and then recorded: the name is "
        + "sent with the next 'ledger sync', the birth date counts as acknowledged. The minimum age "
        + "is 13.",
      signInNote,
    ])

  package static let logout = CommandSpec(
    "logout", "delete the tokens; nothing else is lost", group: .sync,
    examples: [CommandExample("ledger logout")],
    notes: ["Every edit stays in the ledger; what is pending stays pending."])

  package static let deleteAccount = CommandSpec(
    "delete-account", "delete the account at the backend, and the ledger here", group: .sync,
    options: [
      .flag("yes", "do not ask"),
      .flag("keep-ledger", "delete only at the backend; the ledger here stays"),
    ],
    examples: [
      CommandExample("ledger delete-account"),
      CommandExample("ledger delete-account --keep-ledger", "keep what you logged, here"),
    ],
    notes: [
      "Nothing here is deleted before the backend has confirmed the deletion. Then the tokens and "
        + "the ledger's own files are deleted; other files in its folder stay, and are listed.",
      "It cannot be undone. Exports and backups elsewhere are yours to delete.",
    ])

  /// Its allowed values, API key and kinds of fault are those of `ReferenceBackend`, which this
  /// module does not import; a test compares them.
  package static let backend = CommandSpec(
    "backend", "run the reference backend on this machine", group: .more,
    options: [
      .value("port", "N", "the port to listen on; 0 takes a free one (default: 0)"),
      .value(
        "dialect", "NAME", allowed: ["date-time", "logged-at"],
        "the members of a progress POST that carry the moment (default: date-time)"),
      .flag(
        "ignore-other-dialect",
        "ignore the other dialect's members, and store such a POST with the current time"),
      .value(
        "physical", "MODE", allowed: ["strict", "published", "three-fields"],
        "how PATCH /api/v1/users/me/physical behaves (default: strict)"),
      .value("access-token-uses", "N", "an access token expires after so many requests"),
      .value("fault", "SPEC", repeatable: true, "METHOD PATH:KIND[:N], a scripted fault"),
    ],
    examples: [
      CommandExample("ledger backend --port 8080"),
      CommandExample(
        "ledger backend --fault 'POST /api/v1/progress:drop-after:2'",
        "loses the answer to the second entry"),
      CommandExample(
        "ledger backend --fault 'POST /api/v1/progress:lie=moment' --fault 'GET /health:forget'",
        "stores every entry with the current time; forgets all data when GET /health is called"),
    ],
    notes: [
      "It implements FitIQ's REST API in memory, on 127.0.0.1 only; all data is lost when it stops. "
        + "Its API key is fitiq-demo-key. GET /health and GET /ready need no key.",
      "--physical strict refuses a birth date alone; published accepts any of the three fields; "
        + "three-fields is strict and answers the three fields instead of the profile.",
      "KIND is one of drop-before, drop-after, status-before=CODE, status-after=CODE, "
        + "rate-limit=SECONDS, delay=MS, delay-before=MS, duplicate, late[=MS], refresh-race[=MS], "
        + "truncate, garbage, unwrapped, no-id, omit=MEMBER, lie[=VALUE], round[=DECIMALS], "
        + "bad-row[=VALUE], forget[=LOSS], reset-session. docs/cli.md describes each.",
    ])

  package static let demo = CommandSpec(
    "demo", "see the whole story in one command", group: .start,
    options: [
      .value("access-token-uses", "N", "let the backend's token expire after so many requests")
    ],
    examples: [
      CommandExample("ledger demo"),
      CommandExample("ledger demo --access-token-uses 3", "with a session that keeps expiring"),
    ],
    notes: [
      "It makes a ledger in a temporary folder (or in LEDGER_DEMO_DIR), starts the reference backend "
        + "on this machine, and runs real commands against it. Nothing else is changed."
    ])

  private static var signInOptions: [OptionSpec] {
    [
      .value("base-url", "URL", "the backend's address; kept as backend.url"),
      .value("email", "EMAIL", "the account; asked for if missing"),
    ]
  }

  private static let signInNote =
    "The password and the API key are asked for on the terminal, or taken from LEDGER_PASSWORD and "
    + "LEDGER_API_KEY. There is no option for them: every process on the machine could read it."
}
