// error: is only available in
import Synchronization

func planted(_ bytes: [UInt8]) -> Int { bytes.span.count + newer() }

@available(macOS 26, iOS 26, *)
func newer() -> Int { 0 }
