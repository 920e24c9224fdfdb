import Synchronization

/// Where bytes go: a descriptor, or memory in tests and for commands run inside another.
package protocol OutputSink: Sendable {
  /// Writes everything or throws.
  func write(_ bytes: [UInt8]) throws(OutputFailure)
}

/// Why output ended early.
package enum OutputFailure: ReportableError, Equatable {
  /// The reader left, as `head` does: nothing is wrong.
  case readerGone
  case failed(reason: String)

  package var exitCode: ExitCode {
    switch self {
    case .readerGone: .done
    case .failed: .failed
    }
  }

  package var sentence: String {
    switch self {
    case .readerGone: "whoever reads the output has closed it"
    case .failed(let reason):
      "cannot write to standard output: \(reason); what was printed is not complete"
    }
  }
}

/// Collects output.
package final class MemorySink: OutputSink {
  private let collected = Mutex<[UInt8]>([])

  package init() {}

  package func write(_ bytes: [UInt8]) {
    collected.withLock { $0 += bytes }
  }

  package var bytes: [UInt8] { collected.withLock { $0 } }

  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
