import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct DateFormatTests {
  @Test(
    "A pattern reads the dates and times that it describes",
    arguments: [
      ("yyyy-MM-dd", "2016-04-12", "2016-04-12", nil),
      ("MM-dd-yyyy", "04-12-2016", "2016-04-12", nil),
      ("dd-MM-yyyy", "04-12-2016", "2016-12-04", nil),
      ("M/d/yyyy", "4/12/2016", "2016-04-12", nil),
      ("M/d/yyyy", "04/12/2016", "2016-04-12", nil),
      ("yyyyMMdd", "20160229", "2016-02-29", nil),
      ("d.M.yyyy", "1.5.2016", "2016-05-01", nil),
      ("dd/MM/yy", "05/10/26", "2026-10-05", nil), ("M/d/yy", "12/31/68", "2068-12-31", nil),
      ("yy-MM-dd", "69-12-31", "1969-12-31", nil), ("yyMMdd", "261005", "2026-10-05", nil),
      ("yyyy年M月d日", "2016年5月1日", "2016-05-01", nil),
      ("yyyy-MM-ddTHH:mm:ss", "2016-04-12T23:59:59", "2016-04-12", "23:59:59"),
      ("M/d/yyyy h:mm:ss a", "4/12/2016 12:00:00 AM", "2016-04-12", "00:00:00"),
      ("M/d/yyyy h:mm:ss a", "4/12/2016 12:00:01 pm", "2016-04-12", "12:00:01"),
      ("M/d/yyyy h:mm:ss a", "4/12/2016 1:00:00 PM", "2016-04-12", "13:00:00"),
      ("d-MMM-yy", "3-Oct-26", "2026-10-03", nil),
      ("dd. MMM yyyy", "03. März 2026", "2026-03-03", nil),
      ("MMMM d, yyyy HH:mm", "août 3, 2026 07:30", "2026-08-03", "07:30:00"),
      ("HH:mm", "00:00", nil, "00:00:00"),
      ("H", "7", nil, "07:00:00"),
      ("hh:mm:ss a", "11:59:59 PM", nil, "23:59:59"),
    ] as [(String, String, String?, String?)])
  func reads(_ pattern: String, _ text: String, _ date: String?, _ time: String?) throws {
    let reading = try DateFormat(pattern).read(text)
    #expect(reading.date?.description == date)
    #expect(reading.time?.description == time)
  }

  @Test(
    "A pattern refuses other texts, and says which",
    arguments: [
      ("MM-dd-yyyy", "13-04-2016", "is not a day of the calendar when read as MM-dd-yyyy"),
      ("dd-MM-yyyy", "30-02-2016", "is not a day of the calendar when read as dd-MM-yyyy"),
      ("dd-MM-yyyy", "29-02-2015", "is not a day of the calendar when read as dd-MM-yyyy"),
      ("dd-MM-yyyy", "00-01-2015", "is not a day of the calendar when read as dd-MM-yyyy"),
      ("dd-MM-yyyy", "1-01-2015", "is not spelt dd-MM-yyyy"),
      ("d-M-yyyy", "001-1-2015", "is not spelt d-M-yyyy"),
      ("dd-MM-yyyy", "01-01-15", "is not spelt dd-MM-yyyy"),
      ("dd-MM-yyyy", "01/01/2015", "is not spelt dd-MM-yyyy"),
      ("dd-MM-yyyy", "01-01-2015 ", "is not spelt dd-MM-yyyy"),
      ("dd-MM-yyyy", "", "is not spelt dd-MM-yyyy"),
      ("dd-MM-yyyy", "٠١-01-2015", "is not spelt dd-MM-yyyy"),
      ("d-MMM-yy", "3-10-26", "is not spelt d-MMM-yy"),
      ("d-MMM-yy", "3-Foo-26", "is not spelt d-MMM-yy"),
      ("d-MMM-yy", "31-Feb-26", "is not a day of the calendar when read as d-MMM-yy"),
      ("H:mm", "24:00", "is not a time of day when read as H:mm"),
      ("H:mm", "7:60", "is not a time of day when read as H:mm"),
      ("h:mm a", "0:30 AM", "is not a time of day when read as h:mm a"),
      ("h:mm a", "13:30 PM", "is not a time of day when read as h:mm a"),
      ("h:mm a", "1:30", "is not spelt h:mm a"),
      ("h:mm a", "1:30 XM", "is not spelt h:mm a"),
    ])
  func refuses(_ pattern: String, _ text: String, _ sentence: String) throws {
    let format = try DateFormat(pattern)
    #expect(throws: DateFormat.Misfit.self) { try format.read(text) }
    do { _ = try format.read(text) } catch { #expect(error.sentence == sentence) }
  }

  @Test(
    "A pattern that is ambiguous or names half a date is refused",
    arguments: [
      "", "y-MM-dd", "yyy-MM-dd", "yyyy-MM", "MM-dd", "yyyy-mm-dd", "yyyy-MMMMM-dd", "EEE",
      "yyyy-MM-dd Z",
      "h:mm",
      "H:mm a", "H h:mm a", "yyyy-MM-dd mm", "H:ss", "yyyy-MM-MM-dd", "yyyyMd", "a", "-", "h a a",
      "yyyy-MM-dd'T'HH:mm", String(repeating: "-", count: 101),
    ])
  func refusesPatterns(_ pattern: String) {
    #expect(throws: ImportError.self) { try DateFormat(pattern) }
  }

  @Test("Every day is read back from every order of day, month and year")
  func everyDayIsReadBackFromEveryOrder() throws {
    let formats = try ["d-M-yyyy", "M/d/yyyy", "yyyyMMdd"].map { try DateFormat($0) }
    for offset in 0..<800 {
      let date = day("2015-06-01").adding(days: offset)
      let (year, month, dayOfMonth) = date.components
      let digits = date.description.filter { $0 != "-" }
      let texts = ["\(dayOfMonth)-\(month)-\(year)", "\(month)/\(dayOfMonth)/\(year)", digits]
      for (format, text) in zip(formats, texts) { #expect(try format.read(text).date == date) }
    }
  }
}
