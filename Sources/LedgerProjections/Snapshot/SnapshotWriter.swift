import LedgerJSON
import LedgerLog
import LedgerPlatform

/// Writes a state as pages.
struct SnapshotWriter {
  private let file: OpenFile
  private let seed: UInt64
  private var sections: [String: SnapshotLayout.Section] = [:]
  private var nextPage = 1
  private let buffer: PageBuffer

  /// Writes the whole file.
  ///
  /// - Precondition: the state is whole and not empty.
  static func write(
    _ state: LedgerState, to file: OpenFile, seed: UInt64
  ) throws(IOFailure) {
    var writer = SnapshotWriter(file: file, seed: seed, buffer: PageBuffer(file))
    try writer.text(SnapshotLayout.front, front(of: state))
    try writer.column(SnapshotLayout.rows, state.rows)
    try writer.column(SnapshotLayout.bound, state.bound)
    try writer.column(SnapshotLayout.changes, state.changes)
    try writer.column(SnapshotLayout.sleep, state.sleep)
    try writer.column(SnapshotLayout.cells, state.edits.cells)
    let states = EditStates.onPages(of: state.edits.cells.own[...])
    try writer.column(SnapshotLayout.editStates, Column(states))
    try writer.column(SnapshotLayout.byID, Column(IDKey.sorted(state.rows)))
    try writer.column(SnapshotLayout.byDay, Column(DayKey.sorted(state)))
    try writer.column(SnapshotLayout.mentions, Column(state.mentions.sorted))
    let blocks = state.blocks ?? Column()
    try writer.column(SnapshotLayout.blocks, blocks)
    try writer.column(SnapshotLayout.blockSummaries, Column(LineBlock.summaries(of: blocks.own)))
    try writer.person(state.profile)
    try writer.header(of: state)
  }

  /// All of a state that is not a long column.
  private static func front(of state: LedgerState) -> [UInt8] {
    var object: JSONObject = [
      "tally": .object(state.tally.json), "account": .object(state.account.json),
      "bindings": .object(state.bindings.json), "profile": .object(state.profile.json),
      "erasures": JSONValue(state.erasures), "counts": .object(SnapshotCounts(state).json),
      "goals": .array(state.goalTable.json),
    ]
    object["not_before"] = state.notBefore?.kept
    return Array(object.serialized.utf8)
  }

  private mutating func person(_ profile: ProfileTable) throws(IOFailure) {
    var texts: [UInt8] = []
    for field in ProfileField.allCases {
      let values = profile.history(field).versions.own
      let shift = UInt32(texts.count)
      var cells = values.cells
      for place in cells.indices { cells[place].textStart += shift }
      try column(SnapshotLayout.versions(field), Column(cells))
      texts += values.texts
    }
    try text(SnapshotLayout.values, texts)
    for subject in ProfileSubject.allCases {
      try column(SnapshotLayout.edits(subject), profile.edits[subject] ?? Column())
    }
  }

  private mutating func header(of state: LedgerState) throws(IOFailure) {
    let header = SnapshotHeader(
      position: state.position, offsetBytes: state.offsetBytes, seed: seed, sections: sections)
    let bytes = Array(header.json.serialized.utf8)
    precondition(bytes.count < SnapshotPage.payloadBytes, "the header fits on the first page")
    try bytes.withUnsafeBufferPointer { bytes throws(IOFailure) in
      try buffer.add(UnsafeRawBufferPointer(bytes), page: 0, seed: SnapshotHeader.firstSeed)
    }
    try buffer.flush()
  }

  private mutating func column<Element>(
    _ name: String, _ column: Column<Element>
  ) throws(IOFailure) {
    let perPage = StoredColumn<Element>.perPage * MemoryLayout<Element>.stride
    try column.withElements { bytes throws(IOFailure) in
      try section(name, bytes, perPage: perPage, stride: MemoryLayout<Element>.stride)
    }
  }

  private mutating func text(_ name: String, _ text: [UInt8]) throws(IOFailure) {
    try text.withUnsafeBufferPointer { bytes throws(IOFailure) in
      try section(
        name, UnsafeRawBufferPointer(bytes), perPage: SnapshotPage.payloadBytes, stride: 1)
    }
  }

  private mutating func section(
    _ name: String, _ bytes: UnsafeRawBufferPointer, perPage: Int, stride: Int
  ) throws(IOFailure) {
    sections[name] = .init(firstPage: nextPage, count: bytes.count / stride, stride: stride)
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + perPage)
      try buffer.add(
        UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), page: nextPage, seed: seed)
      nextPage += 1
      offset = end
    }
  }
}

/// Collects consecutive pages and writes many at once.
private final class PageBuffer {
  private let file: OpenFile
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 256 * SnapshotPage.bytes, alignment: 64)
  private var firstPage = 0
  private var count = 0

  init(_ file: OpenFile) {
    self.file = file
  }

  deinit { buffer.deallocate() }

  func add(
    _ payload: UnsafeRawBufferPointer, page number: Int, seed: UInt64
  ) throws(IOFailure) {
    if number != firstPage + count || (count + 1) * SnapshotPage.bytes > buffer.count {
      try flush()
      firstPage = number
    }
    let start = count * SnapshotPage.bytes
    let page = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + SnapshotPage.bytes])
    page.copyMemory(from: payload)
    for index in payload.count..<SnapshotPage.payloadBytes { page[index] = 0 }
    SnapshotPage.seal(page, number: number, seed: seed)
    count += 1
  }

  func flush() throws(IOFailure) {
    let filled = UnsafeRawBufferPointer(rebasing: buffer[..<(count * SnapshotPage.bytes)])
    if !filled.isEmpty { try file.write(filled, at: firstPage * SnapshotPage.bytes) }
    (firstPage, count) = (firstPage + count, 0)
  }
}
