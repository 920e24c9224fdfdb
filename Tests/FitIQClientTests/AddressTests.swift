import FitIQClient
import LedgerModel
import Testing

@Suite(.blocks) struct AddressTests {
  @Test(
    "Valid addresses are normalized",
    arguments: [
      ("https://api.fitiq.example", "https://api.fitiq.example", ""),
      ("HTTPS://API.FitIQ.example/", "https://api.fitiq.example", ""),
      ("https://api.fitiq.example:443/v2/", "https://api.fitiq.example", "/v2"),
      ("https://api.fitiq.example:8443/a//b", "https://api.fitiq.example:8443", "/a/b"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080", ""),
      ("http://127.255.0.9", "http://127.255.0.9", ""),
      ("http://localhost:80/x", "http://localhost", "/x"),
      ("http://[::1]:8080", "http://[::1]:8080", ""),
      ("http://[0:0::1]", "http://[0:0::1]", ""),
      ("http://[0:0:0:0:0:0:0:1]", "http://[0:0:0:0:0:0:0:1]", ""),
      ("http://[::FFFF:127.0.0.1]:80", "http://[::ffff:127.0.0.1]", ""),
      ("http://[0:0:0:0:0:ffff:7fff:1]", "http://[0:0:0:0:0:ffff:7fff:1]", ""),
      ("https://[2001:DB8::1]", "https://[2001:db8::1]", ""),
      ("https://10.0.0.1", "https://10.0.0.1", ""),
    ])
  func goodOnes(text: String, origin: String, prefix: String) throws {
    let address = try BackendAddress(text)
    #expect(address.origin == origin)
    #expect(address.pathPrefix == prefix)
    #expect(try BackendAddress(address.text) == address)
  }

  @Test(
    "Invalid addresses are refused without repeating them",
    arguments: [
      "", "api.fitiq.example", "ftp://api.fitiq.example", "https://", "https:///x", "https:x",
      "http://api.fitiq.example", "http://10.0.0.1", "http://127.0.0.1.evil.example",
      "http://localhost.evil.example", "http://127.1", "http://0x7f.0.0.1", "http://127.0.0.01",
      "http://128.0.0.1", "http://[::2]", "http://[::ffff:128.0.0.1]", "http://[::127.0.0.1]",
      "http://[::fffe:127.0.0.1]", "https://1.2.3.4.5",
      "https://user:secret@api.fitiq.example", "https://user@api.fitiq.example",
      "http://127.0.0.1@evil.example", "https://a?secret=1", "https://a#secret", "https://a/b?c",
      "https://a b", "https://a\r\nX: y", "https://ä.example",
      "https://a..b", "https://-a", "https://.",
      "https://a:0", "https://a:65536", "https://a:", "https://a:+1", "https://a:8o",
      "https://a:1:2",
      "https://a/../b", "https://a/%2e", "https://a/b\\c", "https://[::1", "https://::1",
      "https://[1:2]", "http://[::1:1]", "http://[1::1]",
    ])
  func badOnes(text: String) {
    #expect {
      try BackendAddress(text)
    } throws: { error in
      guard case .badAddress? = error as? ClientError else { return false }
      return !"\(error)".contains("secret")
    }
  }
}
