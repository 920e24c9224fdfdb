import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Profile fields: edits, answers, pulled values and conflicts.
@Suite struct ProfileFoldTests {
  private func name(_ scene: Scene) throws -> String? { try scene.state().profileView().name }

  private func status(_ scene: Scene, _ field: ProfileField = .name) throws -> FieldStatus? {
    try scene.state().fieldStatus(field)
  }

  @Test("The last value counts") func lastValueStands() throws {
    var scene = Scene()
    scene.name("Ada")
    scene.name("Zoë")
    #expect(try name(scene) == "Zoë" && status(scene) == .pending)
  }

  @Test("A cleared field is absent, and still has a status")
  func cleared() throws {
    var scene = Scene()
    scene.add(.profileUpdated(ProfileUpdated(bio: .set("runner"))))
    scene.add(.profileUpdated(ProfileUpdated(bio: .clear)))
    let view = try scene.state().profileView()
    #expect(view.profile.isEmpty && view.status(of: .bio) == .pending)
    #expect(view.status(of: .name) == nil)
  }

  @Test("Every answer shows in the field's status")
  func statuses() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    scene.hold(edit)
    #expect(try status(scene) == .held)
    scene.attempt(edit)
    #expect(try status(scene) == .pending)
    scene.reject(edit)
    #expect(try status(scene) == .rejected)
    scene.acknowledge(edit, status: 200, remote: ["name": "Ada"])
    #expect(try status(scene) == .synced)
    #expect(try scene.state().profile.agreed(.name) == "Ada")
    scene.name("Zoë")
    #expect(try status(scene) == .pending)
  }

  @Test("A pulled value is taken if no edit is open")
  func pullWins() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    scene.acknowledge(edit, status: 200)
    scene.pull(["name": "Ada L.", "bio": "theirs"])
    #expect(try name(scene) == "Ada L." && status(scene) == .synced)
    #expect(try status(scene, .bio) == .synced)
  }

  @Test("A pulled value does not replace an unsent edit")
  func pullGivesWay() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    scene.pull(["name": "theirs"])
    #expect(try name(scene) == "Ada" && status(scene) == .pending)
    #expect(try scene.state().profile.agreed(.name) == "theirs")
    // The answer comes later; the pull before it must not have won after all.
    scene.acknowledge(edit, status: 200)
    #expect(try name(scene) == "Ada" && status(scene) == .synced)
  }

  @Test("Undoing an edit restores the value before it")
  func undone() throws {
    var scene = Scene()
    scene.name("Ada")
    let edit = scene.name("Zoë")
    scene.undo(edit)
    #expect(try name(scene) == "Ada")
  }

  @Test("An open conflict waits for a decision; each decision is applied")
  func conflicts() throws {
    func conflict(_ decision: ConflictDecision) -> Event.Payload {
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "name", base: "A", local: "Ada", remote: "theirs",
          decision: decision))
    }
    for decision in ConflictDecision.allCases {
      var scene = Scene()
      scene.name("Ada")
      let seq = scene.add(conflict(decision), by: .sync)
      switch decision {
      case .local:
        #expect(try name(scene) == "Ada" && status(scene) == .pending)
      case .remote:
        #expect(try name(scene) == "theirs" && status(scene) == .synced)
      case .open:
        #expect(try name(scene) == "Ada" && status(scene) == .conflict)
        #expect(try scene.state().syncCounts() == SyncCounts(conflicts: 1))
        var local = scene
        local.add(
          .conflictResolved(ConflictResolved(conflict: seq, decision: .local, value: "Ada")))
        #expect(try name(local) == "Ada" && status(local) == .pending)
        #expect(try local.state().syncCounts() == SyncCounts(pending: 1))
        scene.add(
          .conflictResolved(ConflictResolved(conflict: seq, decision: .remote, value: "theirs")))
        #expect(try name(scene) == "theirs" && status(scene) == .synced)
      }
    }
  }

  @Test("A list replaces a list; groups are independent")
  func groups() throws {
    var scene = Scene()
    scene.add(.preferencesUpdated(PreferencesUpdated(allergies: ["milk"], foodDislikes: ["okra"])))
    scene.add(.preferencesUpdated(PreferencesUpdated(allergies: ["soy", "nuts"])))
    scene.add(.physicalUpdated(PhysicalUpdated(biologicalSex: .female, heightCM: 168)))
    let view = try scene.state().profileView()
    #expect(view.preferences == ["allergies": ["soy", "nuts"], "food_dislikes": ["okra"]])
    #expect(view.physical == ["biological_sex": "female", "height_cm": 168])
    #expect(view.profile.isEmpty)
  }

  @Test("A created again account sends values of other devices, from a snapshot, too")
  func replacedAccount() throws {
    var scene = Scene()
    let pulled = scene.pull(["name": "Ann"])
    let bio = scene.add(.profileUpdated(ProfileUpdated(bio: .set("hi"))))
    scene.add(.accountReplaced(AccountReplaced(from: "a", to: "b", reason: "test")))
    let folder = try TemporaryFolder()
    let view = try scene.view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: bio)).state, of: view)
    var state = try #require(Snapshot.open(view))
    try Replay.advance(&state, to: view)
    let whole = try Replay.run(view).state
    let edits = whole.profile.edits(of: .profile)
    #expect(edits == [pulled.number, bio.number])
    #expect(state.profile.edits(of: .profile) == edits)
    #expect(state.syncCounts() == whole.syncCounts())
    guard case .right = SnapshotAudit(view, whole).result else {
      Issue.record("the snapshot counts as wrong")
      return
    }
  }
}
