import HotReload
import Synchronization
import XCTest

final class ReloadHandlerTests: XCTestCase {
  func testHandlersAreCalledInTheirOrderAfterEachReload() throws {
    final class Calls: Sendable { let all = Mutex<[Int]>([]) }
    let seen = Calls()
    onReload { seen.all.withLock { $0.append(1) } }
    onReload {
      seen.all.withLock { $0.append(2) }
      // A handler may add another, which is called from the next reload on.
      onReload { seen.all.withLock { $0.append(3) } }
    }
    didReload()
    XCTAssertEqual(seen.all.withLock { $0 }, [1, 2])
    didReload()
    XCTAssertEqual(seen.all.withLock { $0 }, [1, 2, 1, 2, 3])
  }
}
