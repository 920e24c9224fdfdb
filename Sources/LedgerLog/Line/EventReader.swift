import LedgerJSON
public import LedgerModel

/// Reads the whole of an event out of its line: the general way, for everything that is shown or
/// folded one by one.
public enum EventReader {
  /// - Parameter bytes: one line without its `\n`.
  /// - Throws: ``Damage`` placed by `line` and `byte`, where the line begins.
  public static func read(
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
