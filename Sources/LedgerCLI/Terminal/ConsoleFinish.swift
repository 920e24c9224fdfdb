extension Console {
  /// Tells an error in one sentence and says which exit code it ends with.
  @discardableResult
  package func report(_ error: any Error, command: String = "") -> ExitCode {
    if error as? OutputFailure == .readerGone { return .done }
    let located = (error as? UsageError).map { UsageFailure($0, command: command) }
    let report = FailureReport(located ?? error)
    // Sentences quote what people typed and what files hold.
    let sentence = escapedForTerminal(report.sentence)
    var text = "\(errorPaint.red("\(Program.name):")) \(sentence)\n"
    if let hint = report.hint {
      text += "\(errorPaint.yellow("hint:")) \(escapedForTerminal(hint))\n"
    }
    writeError(text)
    return report.exitCode
  }

  /// Ends a command: what it returned or threw, and whether its output arrived.
  package func finish(_ result: Result<ExitCode, any Error>, command: String = "") -> ExitCode {
    state.clearBar()
    var code: ExitCode
    var outputFailed = false
    switch result {
    case .success(let answer):
      code = answer
    case .failure(let error):
      outputFailed = error is OutputFailure
      code = report(error, command: command)
    }
    do {
      try flush()
    } catch {
      // The same failure is told once, and does not hide a worse answer.
      let flushed = outputFailed ? error.exitCode : report(error)
      if code == .done { code = flushed }
    }
    return code
  }
}
