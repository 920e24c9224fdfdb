// error: cannot convert
import Darwin

func planted() -> Int32 { chmod("file", UInt32(0o600)) }
