/// The tables of a vendor's download, a folder or zip, that the rules of vendors know.
package struct VendorTables {
  /// Each is an import of its own: several may have rows of the same moments.
  package let sources: [ImportSource]
  /// The names of the other tables.
  package let others: [String]

  /// - Parameter vendor: whose rules; `nil` for those of all.
  /// - Returns: `nil` for what is neither a folder nor a zip, a download of Takeout, and if there are
  ///   none.
  /// - Throws: ``ImportError`` if a file cannot be read.
  package init?(_ path: String, vendor: String? = nil) throws(ImportError) {
    guard try TakeoutFiles(path) == nil,
      let download = try DownloadFiles(path, where: { $0.lowercased().hasSuffix(".csv") })
    else { return nil }
    let rules =
      if let vendor { try VendorRules.named(vendor, in: "") } else { try VendorRules.all() }
    var sources: [ImportSource] = []
    var others: [String] = []
    for file in download.files {
      let source = try file.source()
      if try CSVImport.recognizes(source, rules) {
        sources.append(source)
      } else {
        others.append(file.name)
      }
    }
    guard !sources.isEmpty else { return nil }
    (self.sources, self.others) = (sources, others)
  }
}
