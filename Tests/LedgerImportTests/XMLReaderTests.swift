import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct XMLReaderTests {
  func tags(_ text: String, chunkBytes: Int = 1 << 18) throws(ImportError) -> [String] {
    let stream = try ByteStream(
      opening: .bytes(Array(text.utf8), name: "t.xml"), chunkBytes: chunkBytes)
    var reader = XMLReader(stream, name: "t.xml")
    var tag = XMLTag()
    var found: [String] = []
    while try reader.next(&tag) {
      let text = String(decoding: tag.text, as: UTF8.self).trimmingSpaces
      let attributes = tag.attributes.map { attribute in
        let name = String(decoding: tag.bytes[attribute.name], as: UTF8.self)
        return " \(name)=\(tag.decoded(attribute.value))"
      }
      let behind = text.isEmpty || found.isEmpty ? "" : "\(text) "
      found.append("\(tag.line) \(behind)\(tag.kind) \(tag.nameText)\(attributes.joined())")
    }
    return found
  }

  func refusal(_ text: String) -> String? {
    do {
      _ = try tags(text)
      return nil
    } catch {
      return error.description
    }
  }

  static let whole = """
    \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
    <!-- <a> --><!DOCTYPE a [
    <!ATTLIST b
      c CDATA #REQUIRED
    <!ELEMENT d EMPTY> <!-- ]> -->
    >
    ]>
    <a x='1>2' long name="&amp;&lt;&#10;&#x41;&nope;&"><![CDATA[<no>]]>
     <b
      c="ü"/>text</a >
    <!-- end -->

    """

  static let tags = [
    "8 start a x=1>2 long name=&<\nA&nope;&", "9 empty b c=ü", "10 text end a",
  ]

  @Test("Tags, attributes, text, comments and document types of exports are read")
  func readsTheSubsetThatExportsAreMadeOf() throws {
    #expect(try tags(Self.whole) == Self.tags)
  }

  @Test("Chunks of any size give the same tags")
  func piecesOfAnySizeGiveTheSameTags() throws {
    for chunkBytes in 1...Self.whole.utf8.count {
      #expect(try tags(Self.whole, chunkBytes: chunkBytes) == Self.tags, "\(chunkBytes)")
    }
  }

  @Test("A truncated file is refused, wherever it ends")
  func everyBeginningOfAFileIsRefused() {
    let bytes = Array(Self.whole.utf8)
    let end = bytes.count - "\n<!-- end -->\n".utf8.count
    for count in 0..<end {
      let beginning = String(decoding: bytes[..<count], as: UTF8.self)
      #expect(refusal(beginning) != nil, "\(count)")
    }
    #expect(refusal(String(decoding: bytes[..<end], as: UTF8.self)) == nil)
  }

  @Test(
    "Malformed or unsupported XML is refused with the reason",
    arguments: [
      ("", "t.xml is empty"),
      ("a,b\n1,2\n", "text outside of the document, from 'a' on"),
      ("<a></b>", "</b> does not match the open element"),
      ("</a>", "</a> does not match the open element"),
      ("<a/><b/>", "<b> follows the end of the document"),
      ("<a/>x", "text outside of the document"),
      ("<a b=1/>", "not quoted"),
      ("<a b/>", "an attribute has no '='"),
      ("<a b=\"1\n<c d=\"2\"/>", "a '<' in a value"),
      ("<a>\n<b>", "ends in the middle, on line 2, inside of <b>"),
      ("<a>\n<b c=\"", "ends in the middle, on line 2, in a tag"),
      ("<!-- a", "in a comment or an instruction"),
      ("<!DOCTYPE a [", "in its document type"),
      ("< a/>", "a tag has no name"),
      ("<a><!ELEMENT b></a>", "unexpected '<!'"),
      ("<?xml version=\"1.0\" encoding='ISO-8859-1'?><a/>", "its encoding is 'iso-8859-1'"),
      ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "declares entities"),
      ("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>", "declares entities"),
      ("PK\u{3}\u{4}", "is a zip; give the zip's own name"),
      ("a\u{0}b\u{0}c\u{0}", "UTF-16"),
    ])
  func refuses(_ text: String, _ sentence: String) {
    #expect(refusal(text)?.contains(sentence) == true, "\(refusal(text) ?? "read")")
  }

  @Test("Nesting and the length of tags have limits")
  func nestingAndTagsHaveLimits() {
    let deep = String(repeating: "<a>", count: OpenElements.deepest + 1)
    #expect(refusal(deep)?.contains("nested deeper than 64") == true)
    let long = "<a b=\"" + String(repeating: "x", count: XMLReader.tagLimitBytes + 1 << 18)
    #expect(refusal(long)?.contains("a tag has no end within") == true)
  }

  @Test("Any text ends in tags or a refusal, the same for every chunk size")
  func noiseIsSurvived() {
    var generator = SplitMix(21)
    let parts = [
      "<a>", "</a>", "<a/>", " b=\"c\"", "<!--", "-->", "<!DOCTYPE a [", "]>", "\"", "é", "\u{0}",
    ]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0..<8, using: &generator))
        .map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
      let whole = Result { () throws(ImportError) in try tags(text) }
      let pieces = Result { () throws(ImportError) in try tags(text, chunkBytes: 1) }
      #expect(whole == pieces, "\(text)")
    }
  }
}
