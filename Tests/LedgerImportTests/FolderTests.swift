import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct FolderTests {
  /// Runs a test with a folder of these files.
  func withFolder<Result>(
    _ files: [String: String], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryFolder()
    for (name, text) in files {
      let file = try #require(fopen("\(folder.path)/\(name)", "w"))
      fputs(text, file)
      fclose(file)
    }
    return try withExtendedLifetime(folder) { try body(folder.path) }
  }

  @Test("A folder on disk is read once, with or without a trailing slash")
  func aFolderOnDiskIsReadInPieces() throws {
    var bytesRead = 0
    var context = context()
    context.progress = { bytesRead += $0 }
    let result = try withFolder(FitbitImportTests.files) { path in
      let plain = try FitbitImport.read(directory: path, person: "1503960366", context: context)
      #expect(
        try FitbitImport.read(directory: path + "/", person: "1503960366", context: context).lines
          == plain.lines)
      return plain
    }
    #expect(result.edits.count == 13)
    #expect(bytesRead == 2 * FitbitImportTests.files.values.reduce(0) { $0 + $1.utf8.count })
  }

  @Test("The published data set is recognized by its tables")
  func study() throws {
    let isStudy = { path in try VendorTables(path)?.hasFitbitStudy }
    #expect(try withFolder(FitbitImportTests.files, isStudy) == true)
    #expect(try withFolder(["weight.csv": "Date,Weight (kg)\n2026-01-05,80\n"], isStudy) == false)
  }

  @Test("A file larger than a chunk is read whole")
  func aFileLargerThanAPieceIsReadWhole() throws {
    let rows = (0..<15_000).map { "2026-01-01T\(ClockTime(secondsSinceMidnight: $0)!),1" }
    let text = (["d,s"] + rows).joined(separator: "\n")
    let mapping = CSVMapping(metric: .steps, quantity: "s", date: "d")
    let result = try withFolder(["a.csv": text]) { path in
      try CSVImport.read(.file("\(path)/a.csv"), mapping: mapping, context: context())
    }
    #expect(result.edits.count == 15_000)
    #expect(result.edits.last?.moment?.time.description == "04:09:59")
  }

  @Test("A folder without the data set is an error")
  func aFolderWithoutTheDataSetIsAnError() throws {
    try withFolder(["other.csv": "a,b\n"]) { path -> Void in
      #expect(throws: ImportError.self) {
        try FitbitImport.read(directory: path, person: "1", context: context())
      }
    }
  }
}
