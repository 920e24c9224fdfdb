extension LogView {
  /// Walks the lines in stretches from an end towards the start, each stretch's own lines in order:
  /// for those who want the newest lines of a kind, which a log of any length has near its end.
  ///
  /// Every line's form is checked as far as the walk comes, and that no seq is missing between them.
  ///
  /// - Parameters:
  ///   - whole: the lines to look at; `nil` for all.
  ///   - body: is given each line, with its window's place in the file.
  ///   - goesOn: is asked after each stretch, with what stands before it.
  package func walkBackward(
    through whole: LineStretch? = nil,
    _ body: (
      _ window: RawSpan, _ windowOffset: Int, _ envelope: Envelope
    ) throws(LineFault) -> Void,
    goesOn: (_ before: ChainPosition) -> Bool
  ) throws(LogError) {
    let whole = whole ?? LineStretch(position: .start, bytes: 0..<endBytes)
    let first = (position: whole.position, offsetBytes: whole.bytes.lowerBound)
    var end = whole.bytes.upperBound
    var stretchBytes = 1 << 14
    while end > first.offsetBytes {
      var (position, start) = try position(before: end - stretchBytes) ?? (.start, 0)
      if start <= first.offsetBytes { (position, start) = first }
      var scan = EventScan(from: position, offsetBytes: start, checks: .form)
      try LineWindows.forEach(of: file, in: start..<end) { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          try body(window, offset, envelope)
        }
      }
      guard start > first.offsetBytes, goesOn(position) else { return }
      end = start
      // Small at first, since the answer is mostly near; then what one window takes.
      stretchBytes = min(stretchBytes * 4, LineWindows.bufferBytes / 2)
    }
  }
}
