/// Is wrong on purpose, so that one can see what a find looks like, and that there are finds: it
/// says that no input has two exclamation marks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let marks = array(bytes, count).count { $0 == UInt8(ascii: "!") }
  require(marks < 2, "two exclamation marks")
  return 0
}
