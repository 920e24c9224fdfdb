import LedgerJSON
import LedgerModel

@testable import LedgerLog

/// Any bytes as the log and any as `head`: opening for writing either refuses and changes nothing,
/// or keeps every whole line before the first damage and sets aside every byte that it cuts.
///
/// The script's first line is for `head`: `H` and a byte that chooses an event, `h` and the file
/// itself, anything else for none. The rest is ``WrittenLog``'s.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = array(bytes, count)
  let split = input.firstIndex(of: 0x0A) ?? input.endIndex
  let written = WrittenLog(script: input[min(split + 1, input.endIndex)...])
  let head = headBytes(input[..<split], written)
  let ledger = Scratch.ledger
  Scratch.put(written.bytes, at: ledger.events)
  Scratch.put(head, at: ledger.head)
  let before = written.bytes
  let sound = soundPrefix(before)

  let repairs: [LogRepair]
  do {
    repairs = try EventLog(ledger).withSession { $0.repairs }
  } catch LogError.damaged {
    require(Scratch.get(ledger.events) == before, "a refused log was changed")
    require(Scratch.get(ledger.head) == head, "a refused log's head was changed")
    require(Scratch.takeQuarantine().isEmpty, "a refused log left something in quarantine")
    return 0
  } catch {
    finding("\(error)")
  }
  let after = Scratch.get(ledger.events) ?? []
  let aside = Scratch.takeQuarantine()
  require(after.starts(with: before[..<sound]), "a whole line before the first damage is gone")
  if let torn = aside.first {
    require(aside.count == 1, "\(aside.count) files were set aside")
    let kept = before.count - torn.count
    require(before[kept...].elementsEqual(torn), "not what was cut off was set aside")
    require(after.starts(with: before[..<kept]), "more was cut off than was set aside")
    require(repairs.contains { if case .quarantined = $0 { true } else { false } }, "not told")
  } else {
    require(after == before, "a log was changed with nothing set aside")
  }
  checkAfterwards(after, sound: sound)
  return 0
}

/// A second opening finds nothing to repair, and a log that was valid from line 1 is valid as a whole.
private func checkAfterwards(_ after: [UInt8], sound: Int) {
  do {
    let again = try EventLog(Scratch.ledger).withSession { $0.repairs }
    require(again.isEmpty, "repaired twice: \(again)")
    let whole = soundPrefix(after)
    require(whole >= sound, "less is right than before")
    if sound > 0, whole < after.count {
      // The bytes before the end that a valid head names are not read.
      require(whole == sound, "what recovery wrote is wrong")
    }
  } catch {
    finding("the repaired log is refused: \(error)")
  }
}

private func headBytes(_ line: ArraySlice<UInt8>, _ log: WrittenLog) -> [UInt8]? {
  guard let first = line.first else { return nil }
  switch first {
  case UInt8(ascii: "H"):
    guard !log.ends.isEmpty, let choice = line.dropFirst().first,
      let end = log.ends.dropFirst(Int(choice) % log.ends.count).first,
      let hash = ChainHash(Array(end.hash.utf8))
    else { return nil }
    return Head(seq: end.seq, offsetBytes: end.offsetBytes, hash: hash).line
  case UInt8(ascii: "h"): return Array(line.dropFirst()) + [0x0A]
  default: return nil
  }
}

/// How many bytes of a log are whole, right lines, by the plain way.
private func soundPrefix(_ log: [UInt8]) -> Int {
  var scan = EventScan(checks: .chain)
  log.withUnsafeBufferPointer { buffer in
    do throws(LogError) {
      try scan.walk(UnsafeRawBufferPointer(buffer).bytes, at: 0) {
        (window, envelope) throws(LineFault) in
        try EnvelopeScanner.scanData(envelope, in: window)
      }
    } catch {}
  }
  return scan.offsetBytes
}
