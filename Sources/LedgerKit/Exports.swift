// An app imports LedgerKit alone: the vocabulary, the views, the projector's answers, signing in,
// and the errors of the log and of the wire come along.
@_exported public import FitIQClient
@_exported public import LedgerLog
@_exported public import LedgerModel
@_exported public import LedgerProjections
@_exported public import LedgerSync
