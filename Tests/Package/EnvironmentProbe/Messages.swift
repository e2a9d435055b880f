import CFixtures
import Glibc
import Invocations
import MessageForwarding
import Synchronization

// SAFETY, for the whole file: one thread at a time uses the proxy.
nonisolated(unsafe) private let proxy = MultiTargetProxy()

/// A target that ends its thread when it is told to.
private final class Ender: MessageReceiver {
  static var methods: MethodTable {
    MethodTable(Ender.self) {
      Method("end:") { (_: Ender, isMeant: Bool) in
        guard isMeant else { return }
        unsafe proxy.removeAll()
        print("inside: \(Bystander.alive.load(ordering: .relaxed))")
        pthread_exit(nil)
      }
    }
  }
}

/// A target that does nothing.
private final class Bystander: MessageReceiver {
  static let alive = Atomic(0)

  init() { Self.alive.add(1, ordering: .relaxed) }
  deinit { Self.alive.subtract(1, ordering: .relaxed) }

  static var methods: MethodTable {
    MethodTable(Bystander.self) { Method("end:") { (_: Bystander, _: Bool) in } }
  }
}

/// Removes all targets inside of a message to them, which ends with its thread, in a program that
/// sends messages and does nothing else with the library.
///
/// A thread that ends so gives back nothing that its frames count: the message protects the list of
/// its targets, which keeps the one that has not had it.
func endInsideOfAMessage() {
  unsafe proxy.add(strong: Ender())
  unsafe proxy.add(strong: Bystander())
  fixture_on_a_thread {
    do {
      // What is found is protected from the second time on.
      for isMeant in [false, true] { try unsafe proxy.send("end:", isMeant) }
    } catch {
      print(error)
    }
  }
  print("behind: \(Bystander.alive.load(ordering: .relaxed))")
}
