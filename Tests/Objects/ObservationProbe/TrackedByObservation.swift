import Dispatch
import Observation
import ObservationBridge

// Observed properties, tracked by Observation.

func trackProperties() {
  let player = Player()
  func track<Value>(_ name: String, _ read: @escaping (Player) -> Value) {
    withObservationTracking {
      print(name, read(player))
    } onChange: {
      print(name, "will change")
    }
  }
  track("score:") { $0.score }
  player.score = 1
  player.score = 2
  track("score:") { $0.score }
  player.score += 1
  track("summary:") { $0.summary }
  player.lives = 2
  track("rank:") { $0.rank }
  player.rank = 5
  player.promote()
  track("nothing:") { _ in 0 }
  player.score = 9
}

func trackWeakReference() {
  let player = Player()
  var rival: Player? = Player()
  withObservationTracking {
    print("has a rival:", player.rival != nil)
  } onChange: {
    print("the rival will change")
  }
  player.rival = rival
  withObservationTracking {
    print("has a rival:", player.rival != nil)
  } onChange: {
    print("the rival is destroyed")
  }
  rival = nil
  print("has a rival:", player.rival != nil, rival == nil)
}

func trackInTransaction() {
  let player = Player()
  withObservationTracking {
    _ = player.score
  } onChange: {
    print("the score will change")
  }
  withChangeTransaction {
    player.score = 1
    player.score = 2
  }
  print("the score is", player.score)
}

func trackWithoutConformance() {
  let silent = Silent()
  withObservationTracking {
    _ = silent.score
  } onChange: {
    print("this is not heard")
  }
  silent.score = 1
  print("the score is", silent.score)
}

/// Whether paths through tracked properties are still told of each change once.
func trackAndObserve() {
  let player = Player()
  player.observe(\.summary, options: [.old, .new]) { print("summary:", text($1)) }
  withObservationTracking {
    _ = player.summary
  } onChange: {
    print("the summary will change")
  }
  player.score = 1
  player.lives = 1
}

@MainActor func trackAsSequence() async {
  let player = Player()
  let scores = Observations { player.score }
  var iterator = scores.makeAsyncIterator()
  print("score:", await iterator.next() ?? -1)
  player.score = 1
  print("score:", await iterator.next() ?? -1)
  player.score = 2
  player.score = 3
  print("score:", await iterator.next() ?? -1)
}

func trackedLifetimes() {
  do {
    let player = Player()
    let token = Token("the closure of a dead object")
    nonisolated(unsafe) let kept = token
    withObservationTracking {
      _ = player.score
    } onChange: {
      unsafe kept.use()
    }
  }
  print("the object is gone")
}

// The way that is left to compilers whose other interface is not known.

@MainActor func trackPublicly() async {
  let engine = Engine()
  func track(_ name: String, _ body: @escaping () -> Void) -> (@Sendable () -> Void)? {
    PublicTracking.begin(body, willSet: { print(name, "will change") }) {
      print(name, "has changed")
    }
  }
  func mainQueueRan() async {
    await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
  }
  _ = track("speed") { _ = engine.speed }
  engine.speed = 1
  engine.speed = 2
  print("set twice")
  await mainQueueRan()
  let end = track("gear") { _ = engine.gear }
  end?()
  engine.gear = 2
  await mainQueueRan()
  print("nothing is read:", track("nothing", {}) == nil)
  _ = track("speed elsewhere") { _ = engine.speed }
  nonisolated(unsafe) let elsewhere = engine
  DispatchQueue(label: "elsewhere").sync {
    unsafe elsewhere.speed = 3
    print("set elsewhere")
  }
}
