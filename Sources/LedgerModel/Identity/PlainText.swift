public import LedgerJSON

/// What is written in ASCII that JSON never escapes, digits above all: it is put down where it is to
/// stand, and its description is that text.
public protocol PlainText: CustomStringConvertible {
  func appendText(to bytes: inout ByteSink)
}

extension PlainText {
  public var description: String {
    var bytes = ByteSink(capacity: 40)
    appendText(to: &bytes)
    return bytes.text
  }
}
