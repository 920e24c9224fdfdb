import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections

extension Envelope {
  /// Whether an event may say that it undoes another one. Looking for a word is quick; taking a
  /// million lines apart is not, and the log is locked meanwhile.
  func mayUndo(in window: RawSpan) -> Bool {
    guard by == .user, !isErased else { return false }
    let isUndoing = window.extracting(type).withUnsafeBytes {
      $0.elementsEqual(EventKind.editUndone.rawValue.utf8)
    }
    if isUndoing { return true }
    return window.extracting(data).withUnsafeBytes { data in
      // Where there is a backslash the word may be written otherwise.
      data.holds(Undoing.member) || data.holds("\\")
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func holds(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { text in
      guard let wanted = text.baseAddress, var start = baseAddress else { return false }
      let end = start + count
      while end - start >= text.count,
        let found = memchr(start, Int32(wanted[0]), end - start - text.count + 1)
      {
        if memcmp(found, wanted, text.count) == 0 { return true }
        start = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }
}
