extension LogView {
  /// Walks the lines in stretches from an end towards the start, each stretch's own lines in order:
  /// for those who want the newest lines of a kind, which a log of any length has near its end.
  ///
  /// Every line's form is checked as far as the walk comes, and that no seq is missing between them.
  ///
  /// - Parameters:
  ///   - endBytes: behind the last line to look at; no more than ``endBytes``, which stands for
  ///     `nil`.
  ///   - body: is given each line, with its window's place in the file.
  ///   - goesOn: is asked after each stretch, with what stands before it.
  package func walkBackward(
    from endBytes: Int? = nil,
    _ body: (
      _ window: RawSpan, _ windowOffset: Int, _ envelope: Envelope
    ) throws(LineFault) -> Void,
    goesOn: (_ before: ChainPosition) -> Bool
  ) throws(LogError) {
    var end = endBytes ?? self.endBytes
    var stretchBytes = 1 << 14
    while end > 0 {
      let (position, start) = try position(before: end - stretchBytes) ?? (.start, 0)
      var scan = EventScan(from: position, offsetBytes: start, checks: .form)
      try LineWindows.forEach(of: file, in: start..<end) { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          try body(window, offset, envelope)
        }
      }
      guard start > 0, goesOn(position) else { return }
      end = start
      // Small at first, since the answer is mostly near; then what one window takes.
      stretchBytes = min(stretchBytes * 4, LineWindows.bufferBytes / 2)
    }
  }
}
