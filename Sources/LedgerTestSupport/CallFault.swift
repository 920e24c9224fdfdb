/// A failure of one call between client and backend.
package enum CallFault: String, CaseIterable, Sendable {
  /// Not sent.
  case notSent
  /// Sent without effect; no answer.
  case lostBefore
  /// Has its effect; no answer.
  case lostAfter
  /// No answer; has its effect after further requests.
  case late
  /// Delivered twice, answered once.
  case twice
  case serverErrorBefore, serverErrorAfter
  case rateLimited
  case garbage, noID, unwrapped, redirected
  /// Answered by a captive portal, without effect.
  case portal
  /// The session could not be renewed.
  case refreshFailed
  /// Refused by the backend.
  case refused
}
