// An app imports LedgerKit alone: the vocabulary, the views and the projector's answers come along.
@_exported public import LedgerModel
@_exported public import LedgerProjections
@_exported public import LedgerSync
