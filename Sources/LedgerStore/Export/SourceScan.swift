package import LedgerLog
import LedgerPlatform

/// Finds the lines that name the source of an entry without parsing the others.
package enum SourceScan {
  /// Whether a line's data may have a member `source_id`; false only if it has none.
  package static func mayNameSource(_ envelope: Envelope, in window: RawSpan) -> Bool {
    window.extracting(envelope.data).withUnsafeBytes { data in
      let name: StaticString = "\"source_id\":"
      // The underscore is the rarest of its bytes.
      let before = 7
      var start = before
      while start < data.count - 4 {
        let rest = UnsafeRawBufferPointer(rebasing: data[start...])
        guard let base = rest.baseAddress, let mark = memchr(base, 0x5F, rest.count) else {
          return false
        }
        let place = start + base.distance(to: mark)
        if place - before + name.utf8CodeUnitCount <= data.count,
          memcmp(mark - before, name.utf8Start, name.utf8CodeUnitCount) == 0
        {
          return true
        }
        start = place + 1
      }
      return false
    }
  }
}
