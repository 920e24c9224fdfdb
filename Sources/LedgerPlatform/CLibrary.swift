// The only import of the C library. Modules that call it import LedgerPlatform.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif
