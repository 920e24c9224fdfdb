// An app imports only LedgerKit. It re-exports the types in the signatures of `Ledger`, one by one.
// `Actor` is left out, because its name would hide Swift's own: `.user` and `.import` need no name.

@_exported public import struct FitIQClient.BackendAddress
@_exported public import class FitIQClient.BackendSession
@_exported public import protocol FitIQClient.BackendTransport
@_exported public import enum FitIQClient.ClientError
@_exported public import protocol FitIQClient.CredentialStore
@_exported public import struct FitIQClient.Credentials
@_exported public import struct FitIQClient.FileCredentialStore
@_exported public import struct FitIQClient.RequestCredentials
@_exported public import struct FitIQClient.Secret
@_exported public import enum FitIQClient.SecretMemory
@_exported public import struct FitIQClient.TokenPair
@_exported public import struct FitIQClient.TracedTransport
@_exported public import class FitIQClient.HTTPTransport
@_exported public import struct FitIQClient.WireTrace
// Values of profile fields.
@_exported public import struct LedgerJSON.JSONObject
@_exported public import enum LedgerJSON.JSONValue
// The ledger's folder and its errors.
@_exported public import struct LedgerLog.ChainHash
@_exported public import struct LedgerLog.Checkpoint
@_exported public import struct LedgerLog.Damage
@_exported public import struct LedgerLog.LedgerDirectory
@_exported public import enum LedgerLog.LogError
@_exported public import struct LedgerLog.PartialVerification
@_exported public import struct LedgerModel.BackendID
@_exported public import enum LedgerModel.BiologicalSex
// Days, times, ids, metrics and edits.
@_exported public import struct LedgerModel.CalendarDate
@_exported public import struct LedgerModel.ClockTime
@_exported public import enum LedgerModel.ConflictDecision
@_exported public import enum LedgerModel.DuplicateDecision
@_exported public import struct LedgerModel.Edit
@_exported public import struct LedgerModel.EntryID
@_exported public import struct LedgerModel.EventID
@_exported public import enum LedgerModel.FieldChange
@_exported public import enum LedgerModel.HoldReason
@_exported public import struct LedgerModel.LedgerID
@_exported public import struct LedgerModel.LedgerUUID
@_exported public import struct LedgerModel.LocalZone
@_exported public import enum LedgerModel.Metric
@_exported public import struct LedgerModel.PhysicalUpdated
@_exported public import struct LedgerModel.PreferencesUpdated
@_exported public import struct LedgerModel.ProfileUpdated
@_exported public import struct LedgerModel.ProgressCorrected
@_exported public import struct LedgerModel.ProgressDeleted
@_exported public import struct LedgerModel.ProgressLogged
@_exported public import enum LedgerModel.Quantity
@_exported public import struct LedgerModel.QuantityRange
@_exported public import enum LedgerModel.Refusal
@_exported public import struct LedgerModel.Seq
@_exported public import struct LedgerModel.Timestamp
@_exported public import enum LedgerModel.UnitSystem
@_exported public import struct LedgerModel.ZoneOffset
@_exported public import struct LedgerModel.ZonedTime
@_exported public import struct LedgerPlatform.IOFailure
@_exported public import enum LedgerProjections.ConflictSide
@_exported public import struct LedgerProjections.ConflictView
@_exported public import struct LedgerProjections.DayGroup
@_exported public import enum LedgerProjections.EntryStatus
@_exported public import struct LedgerProjections.EntryView
@_exported public import enum LedgerProjections.FailureReason
@_exported public import enum LedgerProjections.FieldStatus
@_exported public import struct LedgerProjections.Outbox
@_exported public import enum LedgerProjections.ProfileField
@_exported public import enum LedgerProjections.ProfileSubject
@_exported public import struct LedgerProjections.ProfileView
@_exported public import struct LedgerProjections.ProgressPage
@_exported public import struct LedgerProjections.ProgressQuery
@_exported public import struct LedgerProjections.SuspicionView
@_exported public import struct LedgerProjections.SyncCounts
// Views and decisions.
@_exported public import enum LedgerStore.ConflictRefusal
@_exported public import struct LedgerStore.EditRefusal
@_exported public import enum LedgerStore.EraseRefusal
@_exported public import struct LedgerStore.Erasure
@_exported public import struct LedgerStore.ResolveAllOutcome
@_exported public import enum LedgerStore.SuspicionRefusal
@_exported public import enum LedgerStore.UndoRefusal
@_exported public import struct LedgerStore.UndoSelection
// Sync: options, progress, report, plan.
@_exported public import struct LedgerSync.AccountChange
@_exported public import struct LedgerSync.BackendAudit
@_exported public import enum LedgerSync.BackendAuditFailure
// For custom connections to the backend.
@_exported public import protocol LedgerSync.BackendConnection
@_exported public import struct LedgerSync.Backoff
@_exported public import enum LedgerSync.Dialect
// Rows of the backend.
@_exported public import struct LedgerSync.HistoryFailure
@_exported public import struct LedgerSync.HistoryPage
@_exported public import struct LedgerSync.ListedRow
@_exported public import struct LedgerSync.Plan
@_exported public import struct LedgerSync.PlannedCall
@_exported public import enum LedgerSync.PullExtent
@_exported public import enum LedgerSync.ReplacementPolicy
@_exported public import struct LedgerSync.RowKey
@_exported public import struct LedgerSync.SyncConfiguration
@_exported public import struct LedgerSync.SyncProgress
@_exported public import struct LedgerSync.SyncReport
@_exported public import struct LedgerSync.UnreadableRow
@_exported public import enum LedgerSync.WireAnswer
@_exported public import struct LedgerSync.WireRequest

#if canImport(Security)
  @_exported public import struct FitIQClient.KeychainCredentialStore
#endif
#if os(macOS) || os(Linux)
  @_exported public import class FitIQClient.HelperCredentialStore
#endif
