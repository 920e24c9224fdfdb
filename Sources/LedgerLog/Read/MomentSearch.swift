public import LedgerModel

extension LogView {
  /// About how many events were recorded up to a moment, by a bisection: some twenty small reads.
  ///
  /// Exact where the clock never stepped back. Where it did, the number is that of one of the places
  /// where the log passes the moment; ``lastSeq(notAfter:upToBreak:)`` says which is the last, by
  /// reading more.
  public func eventsRecorded(upTo moment: Timestamp) throws(LogError) -> Int {
    var low = 0
    var high = endBytes
    var last = 0
    while low < high {
      let line = try line(containing: low + (high - low) / 2)
      let at = line.withEnvelope { envelope, bytes in envelope.milliseconds(in: bytes) }
      if let at, at <= moment.millisecondsSince1970 {
        last = line.seq
        low = line.offsetBytes + line.bytes.count + 1
      } else {
        high = line.offsetBytes
      }
    }
    return last
  }
}
