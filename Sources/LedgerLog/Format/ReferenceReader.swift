import LedgerJSON
package import LedgerModel

/// Decodes the event of one line: the reference reader, for events shown or folded one by one.
package enum EventReader {
  /// - Parameters:
  ///   - bytes: one line without its `\n`.
  ///   - line: its number, for the error.
  ///   - byte: its offset in the file, for the error.
  package static func read(
    _ bytes: [UInt8], line: Int, byte: Int
  ) throws(Damage) -> RecordedEvent {
    do {
      return try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
        let span = UnsafeRawBufferPointer(buffer).bytes
        let envelope = try EnvelopeScanner.scan(span, from: 0, to: span.byteCount)
        return try event(envelope, in: span)
      }
    } catch {
      throw Damage(line: line, byte: byte + error.offsetBytes, problem: error.sentence)
    }
  }

  package static func event(_ envelope: Envelope, in bytes: RawSpan) throws(LineFault)
    -> RecordedEvent
  {
    let payload = try payload(envelope, in: bytes)
    let at = Timestamp(millisecondsSince1970: envelope.milliseconds(in: bytes))
    let event = Event(id: EventID(envelope.id), at: at, by: envelope.by, payload: payload)
    return RecordedEvent(
      seq: Seq(envelope.seq), event: event, hash: envelope.storedHash(in: bytes).description)
  }

  package static func payload(
    _ envelope: Envelope, in bytes: RawSpan
  ) throws(LineFault) -> Event.Payload {
    let type = bytes.extracting(envelope.type)
      .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard !envelope.isErased else { return .erased(type: type, version: envelope.version) }
    let object = bytes.extracting(envelope.data)
    var position = 0
    let data: JSONObject
    do {
      data = try JSONReader.object(in: object, at: &position, rules: .log)
    } catch {
      throw LineFault(.json(error.reason), at: envelope.data.lowerBound + error.offsetBytes)
    }
    guard position == object.byteCount else {
      throw LineFault(.json(.trailingBytes), at: envelope.data.lowerBound + position)
    }
    do {
      return try Event.Payload(type: type, version: envelope.version, data: data)
    } catch {
      throw LineFault(.data(error.description), at: envelope.data.lowerBound)
    }
  }
}

/// The members of one line: offsets, and the values of the short ones. Offsets count from the start
/// of the scanned span, which may hold many lines.
package struct Envelope {
  package var start: Int
  /// The offset of the `\n`.
  package var end: Int
  package var id: LedgerUUID
  package var seq: Int
  /// The offset of the 24 characters of `at`.
  package var at: Int
  package var by: Event.Actor
  package var type: Range<Int>
  package var version: Int
  /// The offset of `"salt":` or `"erased":`: the end of the front that the chain hashes.
  package var bodyStart: Int
  package var isErased: Bool
  /// The bytes of the object; empty for an erased event.
  package var data: Range<Int>

  /// The offset of `,"hash":"…"}`: the end of the body that the chain hashes.
  package var bodyEnd: Int { end - LogFormat.hashMemberBytes }

  var hashStart: Int { bodyEnd + 9 }
  var salt: Range<Int> { bodyStart + 8..<bodyStart + 24 }
  private var erasedDigest: Range<Int> { bodyStart + 10..<bodyStart + 74 }

  /// Since 1970.
  @inline(__always)
  package func milliseconds(in bytes: RawSpan) -> Int64 {
    Instant.milliseconds(in: bytes, at: at)
  }

  /// Of 24 characters that were checked.
  package static func milliseconds(_ bytes: RawSpan, _ at: Int) -> Int64 {
    Instant.milliseconds(in: bytes, at: at)
  }

  @inline(__always)
  func storedHash(in bytes: RawSpan) -> ChainHash {
    ChainHash(unchecked: bytes, at: hashStart)
  }

  @inline(__always)
  func expectedHash(after previous: ChainHash, in bytes: RawSpan) -> ChainHash {
    if isErased {
      return ChainHash.link(
        after: previous, line: bytes, front: start..<bodyStart, bodyDigest: erasedDigest)
    }
    return ChainHash.link(
      after: previous, line: bytes, front: start..<bodyStart, body: bodyStart..<bodyEnd)
  }
}

/// Finds the members of a line and rejects what docs/log-format.md does not allow. `data` is only
/// bounded; ``scanData(_:in:)`` checks it.
enum EnvelopeScanner {
  /// Erased lines are longer.
  static let shortestLineBytes = 190

  @inline(__always)
  static func scan(
    _ bytes: RawSpan, from start: Int, to end: Int
  ) throws(LineFault) -> Envelope {
    guard end - start >= shortestLineBytes else { throw LineFault(.tooShort, at: start) }
    guard end - start <= LogFormat.longestLineBytes else { throw LineFault(.tooLong, at: start) }
    let tail = end - LogFormat.hashMemberBytes
    guard bytes.holds(#","hash":""#, at: tail), bytes.holds(#""}"#, at: end - 2),
      areDigits(bytes, tail + 9, words: 8)
    else { throw LineFault(.member(.hash), at: tail) }
    guard bytes.holds(#"{"id":""#, at: start) else {
      throw LineFault(.member(.order), at: start)
    }
    var position = start + 7
    let id = try uuid(bytes, at: position)
    position += 36
    guard bytes.holds(#"","seq":"#, at: position) else {
      throw LineFault(.member(.order), at: position)
    }
    position += 8
    let seq = try wholeNumber(bytes, &position, .seq)
    guard bytes.holds(#","at":""#, at: position), bytes.holds(#"","by":""#, at: position + 31)
    else { throw LineFault(.member(.order), at: position) }
    let at = position + 7
    guard Instant.isValid(in: bytes, at: at) else { throw LineFault(.member(.at), at: at) }
    position += 39
    let by = try actor(bytes, &position)
    let type = try typeName(bytes, &position, before: tail)
    let version = try wholeNumber(bytes, &position, .v)
    position += 1
    return try body(
      bytes, position,
      Envelope(
        start: start, end: end, id: id, seq: seq, at: at, by: by, type: type, version: version,
        bodyStart: position, isErased: false, data: tail..<tail))
  }

  @inline(__always)
  private static func body(
    _ bytes: RawSpan, _ position: Int, _ envelope: Envelope
  ) throws(LineFault) -> Envelope {
    var envelope = envelope
    let tail = envelope.bodyEnd
    if bytes.holds(#","salt":""#, at: position - 1) {
      guard areDigits(bytes, position + 8, words: 2),
        bytes.holds(#"","data":{"#, at: position + 24), position + 34 < tail
      else { throw saltOrDataFault(bytes, position) }
      envelope.data = position + 33..<tail
      return envelope
    }
    guard bytes.holds(#","erased":""#, at: position - 1), position + 75 == tail,
      bytes.byte(position + 74) == UInt8(ascii: "\"")
    else { throw LineFault(.member(.order), at: position - 1) }
    guard areDigits(bytes, position + 10, words: 8) else {
      throw LineFault(.member(.erased), at: position + 10)
    }
    guard envelope.version == 1 else { throw LineFault(.version, at: position) }
    envelope.isErased = true
    return envelope
  }

  /// Which of the two members is wrong.
  private static func saltOrDataFault(_ bytes: RawSpan, _ position: Int) -> LineFault {
    guard areDigits(bytes, position + 8, words: 2),
      bytes.byte(position + 24) == UInt8(ascii: "\"")
    else { return LineFault(.member(.salt), at: position + 8) }
    guard bytes.holds(#"","data":"#, at: position + 24) else {
      return LineFault(.member(.order), at: position + 25)
    }
    return LineFault(.member(.data), at: position + 33)
  }

  static func scanData(_ envelope: Envelope, in bytes: RawSpan) throws(LineFault) {
    guard !envelope.isErased else { return }
    // Limited to the object, so that the scanner cannot read into the hash.
    let object = bytes.extracting(envelope.data)
    var position = 0
    do {
      try JSONScanner.skipObject(in: object, at: &position, rules: .log)
    } catch {
      throw LineFault(.json(error.reason), at: envelope.data.lowerBound + error.offsetBytes)
    }
    guard position == object.byteCount else {
      throw LineFault(.json(.trailingBytes), at: envelope.data.lowerBound + position)
    }
  }

  @inline(__always)
  private static func areDigits(_ bytes: RawSpan, _ offset: Int, words: Int) -> Bool {
    for index in 0..<words where !Hex.areLowerDigits(bytes.word(offset + index * 8)) {
      return false
    }
    return true
  }

  /// A version 7 UUID with the variant of RFC 9562.
  @inline(__always)
  private static func uuid(_ bytes: RawSpan, at offset: Int) throws(LineFault) -> LedgerUUID {
    guard let uuid = UUIDText.read(bytes, at: offset),
      uuid.high & 0xF000 == 0x7000, uuid.low >> 62 == 0b10
    else { throw LineFault(.member(.id), at: offset) }
    return uuid
  }

  /// A positive integer without leading zeros, of at most 15 digits: an exact double.
  @inline(__always)
  private static func wholeNumber(
    _ bytes: RawSpan, _ position: inout Int, _ name: LineFault.StaticName
  ) throws(LineFault) -> Int {
    let start = position
    var value = 0
    while true {
      let digit = bytes.byte(position) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value * 10 + Int(digit)
      position += 1
      guard position - start <= 15 else { throw LineFault(.member(name), at: start) }
    }
    guard value > 0, bytes.byte(start) != UInt8(ascii: "0") else {
      throw LineFault(.member(name), at: start)
    }
    return value
  }

  @inline(__always)
  private static func actor(_ bytes: RawSpan, _ position: inout Int) throws(LineFault)
    -> Event.Actor
  {
    let actor: Event.Actor
    let count: Int
    if bytes.holds(#"user""#, at: position) {
      (actor, count) = (.user, 4)
    } else if bytes.holds(#"sync""#, at: position) {
      (actor, count) = (.sync, 4)
    } else if bytes.holds(#"import""#, at: position) {
      (actor, count) = (.import, 6)
    } else if bytes.holds(#"system""#, at: position) {
      (actor, count) = (.system, 6)
    } else {
      throw LineFault(.member(.by), at: position)
    }
    position += count
    return actor
  }

  /// Reads `","type":"…","v":`.
  ///
  /// - Returns: the range of the name.
  @inline(__always)
  private static func typeName(
    _ bytes: RawSpan, _ position: inout Int, before tail: Int
  ) throws(LineFault) -> Range<Int> {
    guard bytes.holds(#"","type":""#, at: position) else {
      throw LineFault(.member(.order), at: position)
    }
    position += 10
    let start = position
    while position < tail {
      let byte = bytes.byte(position)
      let isLetter = byte &- UInt8(ascii: "a") < 26
      guard isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") else { break }
      position += 1
    }
    guard position > start, bytes.byte(position) == UInt8(ascii: "\"") else {
      throw LineFault(.member(.type), at: position)
    }
    let end = position
    guard bytes.holds(#"","v":"#, at: position) else {
      throw LineFault(.member(.order), at: position)
    }
    position += 6
    return start..<end
  }
}

/// The text form of UUIDs in lines.
enum UUIDText {
  /// - Returns: `nil` unless a UUID in lower case is at the offset.
  @inline(__always)
  static func read(_ bytes: RawSpan, at offset: Int) -> LedgerUUID? {
    guard offset + 36 <= bytes.byteCount, bytes.byte(offset + 8) == UInt8(ascii: "-"),
      bytes.byte(offset + 13) == UInt8(ascii: "-"), bytes.byte(offset + 18) == UInt8(ascii: "-"),
      bytes.byte(offset + 23) == UInt8(ascii: "-")
    else { return nil }
    let first = bytes.word(offset)
    let second = bytes.halfWord(offset + 9) | bytes.halfWord(offset + 14) << 32
    let third = bytes.halfWord(offset + 19) | bytes.halfWord(offset + 24) << 32
    let fourth = bytes.word(offset + 28)
    guard Hex.areLowerDigits(first), Hex.areLowerDigits(second), Hex.areLowerDigits(third),
      Hex.areLowerDigits(fourth)
    else { return nil }
    return LedgerUUID(
      high: Hex.value(first) << 32 | Hex.value(second),
      low: Hex.value(third) << 32 | Hex.value(fourth))
  }
}
