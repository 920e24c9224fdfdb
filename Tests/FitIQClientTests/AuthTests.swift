import FitIQClient
import Foundation
import LedgerJSON
import LedgerModel
import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct AuthTests {
  @Test("A registration signs in and returns the user's id")
  func registeringSignsInAndNamesTheUser() async throws {
    try await withSignedInBackend { scene in
      let kept = try #require(try scene.stored())
      #expect(kept.email == "ada@example.org")
      #expect(kept.origin == scene.address.origin)
      #expect(kept.userID != nil)
      #expect(kept.isSignedIn)
      #expect(kept.generation == 1)
    }
  }

  @Test("A login continues the generation and takes the user's id from the profile")
  func aLoginCountsOnAndLearnsTheUserFromAProfile() async throws {
    try await withSignedInBackend { scene in
      let registered = try #require(try scene.stored())
      var again = try await scene.api.login(email: "ADA@example.org", password: demoPassword)
      #expect(again.generation == 2)
      #expect(again.email == "ada@example.org")
      #expect(again.userID == nil)
      let profile: JSONValue = ["name": "Ada", "preferred_unit_system": "metric"]
      let request = WireRequest(.post, "/api/v1/users/me", body: Array(profile.serialized.utf8))
      #expect(await scene.session().send(request).response?.status == 201)
      again = try await scene.api.login(email: "ada@example.org", password: demoPassword)
      #expect(again.userID == registered.userID)
      #expect(try scene.stored() == again)
    }
  }

  @Test("An account that is not admitted is not stored")
  func anAccountThatIsNotAdmittedIsNotStored() async throws {
    try await withSignedInBackend { scene in
      let before = try scene.stored()
      await #expect(throws: ClientError.badAPIKey) {
        try await scene.api.login(email: "ada@example.org", password: demoPassword) {
          email, _ throws(ClientError) in
          #expect(email == "ada@example.org")
          throw .badAPIKey
        }
      }
      #expect(try scene.stored() == before)
    }
  }

  @Test("A wrong password is refused and changes nothing")
  func aWrongPasswordIsRefusedAndNothingChanges() async throws {
    try await withSignedInBackend { scene in
      let before = try scene.stored()
      await #expect(
        throws: ClientError.refused(status: 401, message: "Invalid email or password")
      ) {
        try await scene.api.login(email: "ada@example.org", password: "wrong")
      }
      await #expect(
        throws: ClientError.refused(
          status: 409, message: "An account with this email already exists")
      ) {
        try await scene.api.register(
          email: "ada@example.org", password: "x", name: "Ada", dateOfBirth: bornIn1990)
      }
      #expect(try scene.stored() == before)
    }
  }

  @Test("A logout leaves no secret, and a later login works")
  func aLogoutLeavesNoSecretAndALoginAfterItWorks() async throws {
    try await withSignedInBackend { scene in
      try await AuthAPI.logout(scene.store)
      let left = try #require(try scene.stored())
      #expect(left.apiKey == nil && left.tokens == nil && !left.isSignedIn)
      #expect(left.email == "ada@example.org" && left.origin == scene.address.origin)
      #expect(!scene.scratch.text.contains(BackendConfiguration.demoAPIKey))
      let again = try await scene.api.login(email: "ada@example.org", password: demoPassword)
      #expect(again.generation == 2)
      #expect(await scene.session().send(listing).response?.status == 200)
      let signedOut = try CredentialFolder()
      try await AuthAPI.logout(signedOut.store)
      #expect(signedOut.text.isEmpty)
    }
  }

  @Test("A login replaces unreadable credentials")
  func aLoginReplacesCredentialsThatCannotBeRead() async throws {
    try await withSignedInBackend { scene in
      try Data("garbage".utf8).write(to: URL(fileURLWithPath: scene.scratch.credentialsPath))
      try await scene.api.login(email: "ada@example.org", password: demoPassword)
      #expect(await scene.session().send(listing).response?.status == 200)
    }
  }

  @Test(
    "An unexpected answer is a clear error",
    arguments: [
      ("garbage", "holds no token pair"), ("drop-after", "no complete answer"),
      ("truncate", "no complete answer"), ("status-before=302", "redirects"),
      ("status-before=503", "(503)"),
    ])
  func oddAnswersAreTold(fault: String, sentence: String) async throws {
    try await withSignedInBackend { scene in
      scene.server.setFaults([try ScriptedFault("POST /api/v1/auth/login:\(fault)")])
      await #expect {
        try await scene.api.login(email: "ada@example.org", password: demoPassword)
      } throws: { error in
        "\(error)".contains(sentence)
      }
    }
  }

  /// The backend repeats the request.
  @Test("No error shows a secret")
  func noErrorShowsASecret() async throws {
    let server = try RawServer { peer in
      let request = peer.request() ?? ""
      let words = request.split { !$0.isLetter && $0 != "-" }.joined(separator: " ")
      peer.send(httpAnswer("400 Bad", #"{"error":{"message":"got \#(words)"}}"#))
    }
    defer { server.stop() }
    let scratch = try CredentialFolder()
    let address = try BackendAddress(server.url)
    let api = AuthAPI(
      address: address, apiKey: Secret("the-api-key"), store: scratch.store,
      transport: HTTPTransport.patient)
    await #expect {
      try await api.login(email: "ada@example.org", password: "the-password")
    } throws: { error in
      "\(error)".contains("got POST") && !"\(error)".contains("the-")
    }
    try scratch.store.save(
      Credentials(
        origin: address.origin, email: "ada@example.org", apiKey: Secret("the-api-key"),
        tokens: TokenPair(access: Secret("the-access"), refresh: Secret("the-refresh")),
        generation: 1))
    let session = BackendSession(
      address: address, store: scratch.store, transport: HTTPTransport.patient)
    let message = await session.send(weighing(70)).response?.message ?? ""
    #expect(message.contains("got POST") && !message.contains("the-"))
  }

  @Test("An unreachable backend is the error offline")
  func offlineIsToldApart() async throws {
    let scratch = try CredentialFolder()
    let api = AuthAPI(
      address: try BackendAddress("http://127.0.0.1:1"), apiKey: demoKey, store: scratch.store,
      transport: HTTPTransport.patient)
    await #expect {
      try await api.login(email: "ada@example.org", password: demoPassword)
    } throws: { error in
      guard case .offline? = error as? ClientError else { return false }
      return true
    }
    #expect(scratch.text.isEmpty)
  }
}
