/// The commands of `ledger-sync`, which need the network or the reference backend.
package enum NetworkCommands {
  package static var table: AsyncCommandTable {
    AsyncCommandTable(
      [
        RegisterCommand.self, LoginCommand.self, LogoutCommand.self, SyncCommand.self,
        DeleteAccountCommand.self, DemoCommand.self, VerifyBackendCommand.self,
      ], local: [BackendCommand.self])
  }
}
