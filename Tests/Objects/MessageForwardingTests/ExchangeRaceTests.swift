import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

private class Animal: MessageReceiver {
  class var methods: MethodTable {
    MethodTable(Animal.self) { Method("legs") { (_: Animal) -> Int in 4 } }
  }
}

private final class Bird: Animal {
  let wings = 2

  override class var methods: MethodTable {
    MethodTable(Bird.self) { Method("limbs") { (_: Animal) -> Int in 6 } }
  }
}

/// Methods that change on one thread while another exchanges them.
final class ExchangeRaceTests: XCTestCase {
  func testASuperclassGetsNoMethodOfASubclassThatReplacesOneMeanwhile() throws {
    let isOver = Atomic(false)
    let strange = Atomic(0)
    let threads = ThreadGroup()
    threads.start {
      for _ in 0..<20_000 {
        Bird.replaceMethod(Method("limbs") { (bird: Bird) -> Int in bird.wings })
        Bird.replaceMethod(Method("limbs") { (_: Animal) -> Int in 6 })
      }
      isOver.store(true, ordering: .relaxed)
    }
    threads.start {
      while !isOver.load(ordering: .relaxed) {
        try? Bird.exchangeMethods("legs", "limbs")
        let legs = try? Animal().send("legs", returning: Int.self)
        if legs != 4, legs != 6 { strange.add(1, ordering: .relaxed) }
      }
    }
    threads.wait()
    XCTAssertEqual(strange.load(ordering: .relaxed), 0)
  }
}
