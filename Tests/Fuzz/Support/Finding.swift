/// Ends the program with a sentence, which libFuzzer takes for a find and keeps the input of.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { finding(what()) }
}

func finding(_ what: String) -> Never {
  fatalError(what)
}

/// libFuzzer's bytes as an array; it may give no address where there are none.
func array(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
}
