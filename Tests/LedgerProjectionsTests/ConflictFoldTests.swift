import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerProjections

/// Conflicts over profile fields and decisions about them.
@Suite struct ConflictFoldTests {
  private func detect(
    _ decision: ConflictDecision, in scene: inout Scene, subject: String = "profile",
    field: String = "name", remote: JSONValue? = "theirs"
  ) -> Seq {
    scene.add(
      .conflictDetected(
        ConflictDetected(
          subject: subject, field: field, base: "A", local: "Ada", remote: remote,
          decision: decision)), by: .sync)
  }

  @discardableResult
  private func resolve(
    _ conflict: Seq, _ decision: ConflictDecision, _ value: JSONValue?, in scene: inout Scene
  ) -> Seq {
    scene.add(
      .conflictResolved(ConflictResolved(conflict: conflict, decision: decision, value: value)))
  }

  @Test(
    "A conflict records the backend's value, whatever the decision", arguments: [nil, "theirs"])
  func agreed(remote: JSONValue?) throws {
    for decision in ConflictDecision.allCases {
      var scene = Scene()
      scene.name("Ada")
      _ = detect(decision, in: &scene, remote: remote)
      #expect(try scene.state().profile.agreed(.name) == remote ?? .null)
    }
  }

  @Test("A later conflict over a field replaces the open one")
  func replaced() throws {
    for later in ConflictDecision.allCases {
      var scene = Scene()
      scene.name("Ada")
      let first = detect(.open, in: &scene)
      let second = detect(later, in: &scene, remote: "theirs too")
      let state = try scene.state()
      #expect(state.profile.hasOpenConflict(.name) == (later == .open))
      #expect(state.conflict(first)?.replacedBy == second)
      #expect(state.conflicts().map(\.isOpen) == [false, later == .open])
      resolve(first, .local, "Ada", in: &scene)
      #expect(try scene.state().profile.hasOpenConflict(.name) == (later == .open))
    }
  }

  @Test(
    "Each side's value as text",
    arguments: [
      ("theirs", "theirs"), (["nuts", "soy"], "nuts, soy"), (168.5, "168.5"), (nil, nil),
      (.null, nil), ([], nil),
    ] as [(JSONValue?, String?)])
  func texts(_ remote: JSONValue?, _ text: String?) throws {
    var scene = Scene()
    let seq = detect(.open, in: &scene, remote: remote)
    let conflict = try #require(try scene.state().conflict(seq))
    #expect(conflict.text(of: .remote) == text)
    #expect(conflict.text(of: .local) == "Ada")
  }

  @Test("A conflict decided for the local value can be decided for the remote one, and back")
  func decidedAgain() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    let conflict = detect(.local, in: &scene)
    resolve(conflict, .remote, "theirs", in: &scene)
    var state = try scene.state()
    #expect(state.profileView().name == "theirs" && state.fieldStatus(.name) == .synced)
    #expect(state.profile.edits(of: .profile) == [edit.number])
    let again = resolve(conflict, .local, "Ada", in: &scene)
    state = try scene.state()
    #expect(state.profileView().name == "Ada" && state.fieldStatus(.name) == .pending)
    #expect(state.profile.edits(of: .profile) == [edit.number, again.number])
    #expect(state.edits.state(again.number) == .pending)
    #expect(state.conflict(conflict)?.resolution == .init(seq: again, decision: .local))
    scene.acknowledge(edit, again, status: 200, remote: ["name": "Ada"])
    #expect(try scene.state().fieldStatus(.name) == .synced)
  }

  @Test("A conflict decided for the remote value can be decided for the local one")
  func takenBack() throws {
    var scene = Scene()
    scene.name("Ada")
    let conflict = detect(.remote, in: &scene)
    let resolved = resolve(conflict, .local, "Ada", in: &scene)
    let later = scene.name("Zoë")
    let state = try scene.state()
    #expect(state.profile.edits(of: .profile) == [2, resolved.number, later.number])
    #expect(state.edits.state(resolved.number) == .pending)
    #expect(state.profileView().name == "Zoë")
  }

  @Test("A local value that is already pending is not sent twice")
  func onItsWay() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    let conflict = detect(.open, in: &scene)
    let resolved = resolve(conflict, .local, "Ada", in: &scene)
    let state = try scene.state()
    #expect(state.profile.edits(of: .profile) == [edit.number])
    #expect(state.edits.state(resolved.number) == .none)
    #expect(state.syncCounts() == SyncCounts(pending: 1))
  }

  @Test("A remote value that was or may have been overwritten at the backend is sent")
  func overwrittenThere() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    let conflict = detect(.local, in: &scene)
    scene.attempt(edit)
    var doubtful = scene
    scene.acknowledge(edit, status: 200, remote: ["name": "Ada"])
    for (name, isInDoubt) in [("acknowledged", false), ("in doubt", true)] {
      var scene = isInDoubt ? doubtful : scene
      let resolved = resolve(conflict, .remote, "theirs", in: &scene)
      let state = try scene.state()
      #expect(state.profileView().name == "theirs", "\(name)")
      #expect(state.edits.state(resolved.number) == .pending, "\(name)")
      #expect(state.profile.agreed(.name) == (isInDoubt ? "theirs" : "Ada"), "\(name)")
    }
    doubtful.put(off: edit)
    resolve(conflict, .remote, "theirs", in: &doubtful)
    #expect(try doubtful.state().fieldStatus(.name) == .synced)
  }

  @Test("Every edit of a field in conflict is counted once")
  func counts() throws {
    var scene = Scene()
    scene.name("Ada")
    scene.name("Zoë")
    scene.add(.profileUpdated(ProfileUpdated(bio: .set("runner"))))
    let conflict = detect(.open, in: &scene)
    #expect(try scene.state().syncCounts() == SyncCounts(pending: 1, conflicts: 2))
    resolve(conflict, .remote, "theirs", in: &scene)
    #expect(try scene.state().syncCounts() == SyncCounts(pending: 3))
  }

  @Test(
    "A conflict over an unknown field is kept and changes no field",
    arguments: [("entry", "quantity"), ("entry", "name"), ("mood", "name"), ("profile", "mood")])
  func foreign(subject: String, field: String) throws {
    var scene = Scene()
    scene.name("Ada")
    let conflict = detect(.open, in: &scene, subject: subject, field: field)
    var state = try scene.state()
    #expect(state.conflicts().map(\.isOpen) == [true] && state.conflicts()[0].field == nil)
    #expect(state.profileView().name == "Ada" && state.syncCounts() == SyncCounts(pending: 1))
    resolve(conflict, .remote, "theirs", in: &scene)
    state = try scene.state()
    #expect(state.conflicts().map(\.isOpen) == [false])
    #expect(state.profileView().name == "Ada" && state.syncCounts() == SyncCounts(pending: 1))
  }

  @Test("A decision about no conflict, or for open, changes nothing")
  func aboutNothing() throws {
    var scene = Scene()
    let edit = scene.name("Ada")
    resolve(edit, .remote, "theirs", in: &scene)
    resolve(Seq(99), .remote, "theirs", in: &scene)
    let conflict = detect(.open, in: &scene)
    resolve(conflict, .open, "theirs", in: &scene)
    let state = try scene.state()
    #expect(state.profileView().name == "Ada" && state.fieldStatus(.name) == .conflict)
  }

  @Test("A pending decision can be undone like any edit")
  func undone() throws {
    var scene = Scene()
    scene.name("Ada")
    let conflict = detect(.remote, in: &scene)
    let resolved = resolve(conflict, .local, "Ada", in: &scene)
    scene.undo(resolved)
    #expect(try scene.state().profileView().name == "theirs")
  }
}
