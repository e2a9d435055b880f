// The scenes of `hook-demo observe` and `hook-demo forward` as plain text: code, calls, answers.
for scene in [try Scene.observers(), try Scene.messages()] {
  print(scene.title)
  for outcome in scene.play() {
    let told = outcome.told.map { told in
      told.change.map { "\(told.name): \($0.summary)" } ?? told.name
    }
    print("  \(outcome.code)")
    if !told.isEmpty { print("    → \(told.joined(separator: ", "))") }
    if !outcome.answer.isEmpty { print("    = \(outcome.answer)") }
    if let fault = outcome.fault { print("    ✗ \(fault)") }
  }
}
