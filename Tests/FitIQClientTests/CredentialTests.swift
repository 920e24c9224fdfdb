import FitIQClient
import Foundation
import LedgerLog
import LedgerModel
import Testing

@Suite(.blocks) struct CredentialTests {
  private let ada = Credentials(
    origin: "https://api.fitiq.example", email: "ada@example.org", userID: "u-1",
    apiKey: Secret("the-api-key"),
    tokens: TokenPair(access: Secret("the-access"), refresh: Secret("the-refresh")),
    generation: 7)

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("Saved credentials are loaded")
  func whatIsSavedIsLoaded() throws {
    let scratch = try CredentialFolder()
    #expect(try scratch.store.load() == nil)
    try scratch.store.save(ada)
    #expect(try scratch.store.load() == ada)
    #expect(try mode(scratch.directory.credentials) == 0o600)
    var out = ada
    out.tokens = nil
    out.apiKey = nil
    out.userID = nil
    out.pathPrefix = "/fitiq/v2"
    try scratch.store.save(out)
    #expect(try scratch.store.load() == out)
    #expect(out.address == "https://api.fitiq.example/fitiq/v2")
    #expect(try mode(scratch.directory.credentials) == 0o600)
  }

  @Test("A file that others may read is refused", arguments: [0o640, 0o604, 0o660, 0o644, 0o601])
  func aFileThatOthersMayReadIsRefused(mode: Int) throws {
    let scratch = try CredentialFolder()
    try scratch.store.save(ada)
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: scratch.directory.credentials)
    #expect(throws: ClientError.self) { try scratch.store.load() }
  }

  @Test(
    "Anything but stored credentials is refused",
    arguments: [
      "", "nonsense", "[]", "{}", #"{"origin":"https://a","email":"b"}"#,
      #"{"origin":"https://a","email":"b","generation":1.5}"#,
      #"{"origin":"https://a","email":"b","generation":-1}"#,
      #"{"origin":"https://a","email":"b","generation":"1"}"#,
      #"{"origin":"http://evil.example","email":"b","generation":1}"#,
      #"{"origin":"https://a/","email":"b","generation":1}"#,
      #"{"origin":"https://a","email":"b","generation":1,"access_token":"x"}"#,
      #"{"origin":"https://a","email":"b","generation":1,"refresh_token":"x"}"#,
      #"{"origin":"https://a","email":"b","generation":1,"api_key":null}"#,
      #"{"origin":"https://a","email":"b","generation":1,"api_key":"x\r\ny"}"#,
      #"{"origin":"https://a","email":"b","generation":1,"more":"x"}"#,
      #"{"origin":"https://a","email":"b","generation":1} x"#,
    ])
  func garbageAsksForASignIn(text: String) throws {
    let scratch = try CredentialFolder()
    let path = scratch.directory.credentials
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let sentence = "credentials.json cannot be read; sign in again"
    #expect {
      try scratch.store.load()
    } throws: { error in
      "\(error)" == sentence
    }
  }

  @Test("A symbolic link is not followed")
  func aLinkIsNotFollowed() throws {
    let scratch = try CredentialFolder()
    let elsewhere = try CredentialFolder()
    try elsewhere.store.save(ada)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.directory.credentials,
      withDestinationPath: elsewhere.directory.credentials)
    #expect(throws: ClientError.self) { try scratch.store.load() }
  }

  @Test("No description shows a secret")
  func noDescriptionShowsASecret() {
    var dumped = ""
    dump(ada, to: &dumped)
    for text in ["\(ada)", String(reflecting: ada), "\([ada])", "\(ada.tokens as Any)", dumped] {
      #expect(!text.contains("the-"))
    }
    #expect("\(ada)".contains("ada@example.org"))
  }
}
