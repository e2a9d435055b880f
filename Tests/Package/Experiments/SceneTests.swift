import DemoScenes
import XCTest

/// The scenes that the command line and the examples show: who is told of each step, and what is
/// answered.
final class SceneTests: XCTestCase {
  private func check(_ scene: Scene) {
    for outcome in scene.play() { XCTAssertNil(outcome.fault) }
  }

  /// A ship changes, and its observers are told what they observe, once and in order.
  func testObserversAreToldWhatTheyObserve() throws { check(try .observers()) }

  /// Messages reach several targets, a delegate made of blocks, and hooked methods.
  func testMessagesReachWhomTheyAreToReach() throws { check(try .messages()) }

  /// Nothing that was hooked or observed in a scene is left behind for the next.
  func testASceneIsPlayedTwice() throws {
    for _ in 1...2 {
      check(try .observers())
      check(try .messages())
    }
  }
}
