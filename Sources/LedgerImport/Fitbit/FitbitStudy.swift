public import LedgerModel

/// The published data set that the files come from.
///
/// Furberg, R., Brinton, J., Keating, M., & Ortiz, A. (2016). «Crowd-sourced Fitbit datasets
/// 03.12.2016-05.12.2016», Zenodo, https://doi.org/10.5281/zenodo.53894, CC BY 4.0.
public enum FitbitStudy {
  /// When the data was collected, as its publication says: 12 March to 12 May 2016, both included.
  ///
  /// It is what makes most dates readable: copies of the files mix day-month and month-day orders,
  /// but of 4 December and 12 April only one lies in here. Both readings do for a single pair of
  /// days, 5 April and 4 May.
  public static let window: ClosedRange<CalendarDate> = {
    guard let first = CalendarDate("2016-03-12"), let last = CalendarDate("2016-05-12") else {
      preconditionFailure("both are days of the calendar")
    }
    return first...last
  }()
}
