import Testing

@testable import LedgerImport

@Suite struct CSVTableTests {
  func failure(_ source: ImportSource) -> ImportError? {
    do {
      _ = try CSVTable(source)
      return nil
    } catch {
      return error
    }
  }

  @Test("A file without a header is refused")
  func anEmptyFileHasNoColumns() {
    #expect(failure(source(""))?.kind == .unfit)
    #expect(
      failure(source("\n\n"))?.description
        == "data.csv is empty; its first row must name the columns")
  }

  @Test("A header in another encoding is refused with advice")
  func aHeaderInAnotherEncodingIsRefusedWithAdvice() {
    let utf16: [UInt8] = [0xFF, 0xFE, 0x49, 0x00, 0x64, 0x00]
    let sentence = failure(.bytes(utf16, name: "x.csv"))?.description
    #expect(sentence == "x.csv is text in UTF-16; save it as text in UTF-8")
  }

  @Test("A missing column is reported with the columns that exist")
  func aMissingColumnNamesTheOnesThereAre() throws {
    let table = try CSVTable(source("Id,Date,\n"))
    #expect(try table.column("Date") == 1)
    #expect(try table.column("") == 2)
    do {
      _ = try table.column("date")
      Issue.record("names are taken exactly")
    } catch {
      #expect(
        error.description
          == "data.csv has no column 'date'; its columns are 'Id', 'Date', ''; did you mean 'Date'?"
      )
    }
  }

  @Test("A column name that occurs twice is refused")
  func aColumnThatStandsTwiceIsNotChosen() throws {
    let table = try CSVTable(source("a,b,a\n"))
    #expect(throws: ImportError.self) { try table.column("a") }
  }

  @Test("Rows that do not fit the header are reported")
  func rowsThatDoNotFitTheHeaderAreReported() throws {
    var table = try CSVTable(source("a,b\n1\n1,2,3\n1,2\n\"1,2\n"))
    var record = CSVRecord()
    var problems: [RowProblem] = []
    var rows: [Int] = []
    while try table.next(into: &record, report: { problems.append($0) }) { rows.append(record.row) }
    #expect(rows == [4])
    #expect(problems.map(\.row) == [2, 3, 5])
    #expect(
      problems.first?.description == "data.csv, row 2: the row has 1 field, the header 2")
    #expect(
      problems.last?.reason
        == "the row opens a quote that never closes; lines 5 to 6 were read as one row")
  }

  @Test("A file that cannot be opened is an error")
  func aFileThatCannotBeOpenedIsAnError() {
    let error = failure(.file("/nowhere/at/all.csv"))
    #expect(error?.kind == .unreadable)
    #expect(error?.description.hasPrefix("cannot open /nowhere/at/all.csv: ") == true)
    #expect(failure(.file("/"))?.kind == .unreadable)
    #expect(failure(.file("/dev/zero"))?.description == "/dev/zero is a device, not a file")
  }
}
