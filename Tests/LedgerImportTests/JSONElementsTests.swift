import LedgerJSON
import Testing

@testable import LedgerImport

@Suite struct JSONElementsTests {
  private func elements(_ text: String, chunkBytes: Int = 1 << 18) throws -> [String] {
    let stream = try ByteStream(opening: source(text), chunkBytes: chunkBytes)
    var list = JSONElements(stream, name: "list.json")
    var found: [String] = []
    while let value = try list.next() { found.append(value.serialized) }
    return found
  }

  @Test("Chunks of any size give the same elements", arguments: [1, 2, 3, 7, 1000])
  func chunks(_ size: Int) throws {
    let text = "\u{FEFF} [1, {\"a\":[1,2,\"],}\\\"\"]} ,\n\"x,]\" ,[ ], null]\n"
    #expect(
      try elements(text, chunkBytes: size) == [
        "1", "{\"a\":[1,2,\"],}\\\"\"]}", "\"x,]\"", "[]", "null",
      ])
    #expect(try elements(" [ ] ", chunkBytes: size).isEmpty)
  }

  @Test(
    "What is no list is refused",
    arguments: [
      "", "{}", "[", "[1", "[1,]", "[,1]", "[1] 2", "[1]]", "[1 2]", "[{\"a\":1]", "[\"a]",
    ])
  func refused(_ text: String) {
    #expect(throws: ImportError.self) { try elements(text) }
  }

  @Test(
    "An error names its element and its byte in the file", arguments: [1, 5, 1000])
  func places(_ size: Int) {
    func message(_ text: String) -> String? {
      let error = #expect(throws: ImportError.self) { try elements(text, chunkBytes: size) }
      return error?.description
    }
    let prefix = "list.json is not valid JSON: "
    #expect(
      message("[{\"a\":1}, {\"a\":8x0}]")
        == prefix + "element 2, unexpected byte in the JSON at byte 16")
    #expect(message("[1,\n 2, ]") == prefix + "element 3, a value is missing at byte 8")
    #expect(message(" [1 2]") == prefix + "element 1, unexpected bytes after the JSON at byte 4")
    #expect(
      message("[[1]}") == prefix + "it has no ']' where one must be, at byte 4")
  }

  @Test("The list may be a member of an object", arguments: [1, 3, 1000])
  func member(_ size: Int) throws {
    func read(_ text: String) throws -> (elements: [String], rest: String?) {
      let stream = try ByteStream(opening: source(text), chunkBytes: size)
      var list = JSONElements(stream, name: "list.json", list: "entries")
      var found: [String] = []
      while let value = try list.next() { found.append(value.serialized) }
      return (found, try list.rest()?.serialized)
    }
    let both = try read("{\"a\":{\"entries\":[7]} , \"entries\" : [1,{\"b\":2}], \"c\":\"}\"}")
    #expect(both.elements == ["1", "{\"b\":2}"])
    #expect(both.rest == "{\"a\":{\"entries\":[7]},\"c\":\"}\"}")
    #expect(try read("{\"entries\":[]}").rest == "{}")
    #expect(try read("{}").rest == "{}")
    #expect(try read("{\"entries\":7}").rest == "{\"entries\":7}")
    #expect(try read("[1]").rest == nil)
    #expect(try read("7").rest == "7")
    for text in [
      "{\"entries\":[1],}", "{,}", "{\"a\"}", "{\"entries\":[1]",
      "{\"entries\":[1],\"entries\":[]}",
      "{\"entries\":[1]} 2", "{\"a\":1,\"a\":2}", "{a:1}",
    ] {
      #expect(throws: ImportError.self, "\(text)") { try read(text) }
    }
  }

  @Test("An element is bounded, spaces between elements are not")
  func bounds() throws {
    let spaces = String(repeating: " ", count: 5 << 20)
    #expect(try elements("[\(spaces)1\n,\(spaces)2]") == ["1", "2"])
    #expect(throws: ImportError.self) { try elements("[\"\(spaces)\"]") }
  }
}
