/// What can go wrong with one call on its way.
package enum CallFault: String, CaseIterable, Sendable {
  /// Nothing left.
  case notSent
  /// It left, had no effect, and no answer came.
  case lostBefore
  /// It had its effect, and no answer came.
  case lostAfter
  /// It has its effect a while after it was given up on.
  case late
  /// It is delivered twice, and answered once.
  case twice
  case serverErrorBefore, serverErrorAfter
  case rateLimited
  case garbage, noID, unwrapped, redirected
  /// Somebody else answers, such as a hotel's network: it has no effect.
  case portal
  /// The session could not be renewed.
  case refreshFailed
  /// The backend does not take it.
  case refused
}
