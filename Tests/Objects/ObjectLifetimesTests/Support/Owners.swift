import Foundation
import Synchronization
import TestSupport

/// A class that nothing is special about.
class Page {
  let title: String
  let content: AnyObject?

  init(_ title: String = "Contents", content: AnyObject? = nil) {
    self.title = title
    self.content = content
  }
}

/// A class whose objects may be given to other threads.
final class Owner: Sendable {}

/// A class that is a different one for each `Tag`, made when it is first used.
final class Tagged<Tag>: @unchecked Sendable {
  let content: AnyObject?

  init(content: AnyObject? = nil) { self.content = content }
}

/// A class that tells what its deinit does.
class Announcing {
  let body: (Announcing) -> Void

  init(_ body: @escaping (Announcing) -> Void) { self.body = body }

  deinit { body(self) }
}

/// Another class, to be watched by nobody but one test.
final class AnnouncingAlone: Announcing {}

actor Counter {
  private var count = 0

  func increment() -> Int {
    count += 1
    return count
  }
}

actor IsolatedCounter {
  private var count = 0

  isolated deinit { count += 1 }
}

final class Buffer: ManagedBuffer<Int, UInt8> {}

/// A type of object, and how to make one.
struct OwnerKind {
  let name: String
  let make: () -> AnyObject

  static var all: [OwnerKind] {
    class Local {}
    final class Derived: Page {}
    return [
      OwnerKind(name: "open") { Page() },
      OwnerKind(name: "final") { Owner() },
      OwnerKind(name: "local") { Local() },
      OwnerKind(name: "subclass") { Derived() },
      OwnerKind(name: "generic") { Tagged<[Int]>() },
      OwnerKind(name: "generic of a class") { Tagged<Page>(content: Page()) },
      OwnerKind(name: "actor") { Counter() },
      OwnerKind(name: "actor with an isolated deinit") { IsolatedCounter() },
      OwnerKind(name: "tail-allocated") { Buffer.create(minimumCapacity: 1000) { _ in 0 } },
      OwnerKind(name: "XCTest's helper") { LifetimeTracker() },
      OwnerKind(name: "JSONDecoder") { JSONDecoder() },
      OwnerKind(name: "NSMutableArray") { NSMutableArray() },
      OwnerKind(name: "NSObject") { NSObject() },
      OwnerKind(name: "Thread") { Thread {} },
      OwnerKind(name: "DispatchQueue") { DispatchQueue(label: "owner") },
      OwnerKind(name: "boxed value") { [1, 2, 3] as AnyObject },
    ]
  }
}

/// Calls a closure with a block that says it were an object of a Swift class.
func withBlockAsObject(_ body: (AnyObject) throws -> Void) rethrows {
  let number = Int.random(in: 0..<10)
  let block: @convention(block) () -> Int = { number }
  // SAFETY: a heap block can be counted like an object, but must not be freed like one: it is
  // counted once more, and kept by its last call.
  let object = unsafe Unmanaged<AnyObject>.fromOpaque(
    unsafeBitCast(block, to: UnsafeRawPointer.self))
  _ = unsafe object.retain()
  try body(unsafe object.takeUnretainedValue())
  _ = block()
}

/// Makes an object and lets go of it, where no optimisation removes the object.
@inline(never)
func drop(_ make: () -> AnyObject) {
  // SAFETY: the reference is released once; its address is stored, so that it escapes, and not used.
  let object = unsafe Unmanaged.passRetained(make())
  unsafe droppedAddress.store(UInt(bitPattern: object.toOpaque()), ordering: .relaxed)
  unsafe object.release()
}

private let droppedAddress = Atomic<UInt>(0)
