import Foundation
import XCTest

final class ExampleTests: XCTestCase {
  func testABlockIsHooked() throws {
    XCTAssertEqual(
      try Example.output(of: "HookABlock"),
      """
      i20@?0i8d12
      called with i32 3, double 4.5
      340
      7

      """)
  }

  func testAMemoizedBlockRunsOnceForEveryArgument() throws {
    XCTAssertEqual(
      try Example.output(of: "MemoizedBlock"),
      """
      fibonacci(15) = 610
      without a hook: 1973 calls ran
      fibonacci(90) = 2880067194370816120
      memoized: 91 calls ran, 88 were answered
      fibonacci(90) = 2880067194370816120
      results kept: 50, evicted: 41

      """)
  }

  func testCallsAreDecidedLater() throws {
    XCTAssertEqual(
      try Example.output(of: "DecideLater"),
      """
        deleting 3 mails in Drafts
      3 mails: 3
        asking: "Inbox", i32 500
      500 mails: -1
        asking: "Archive", i32 99
      99 mails: -1
        asking: "Sent", i32 70
      70 mails: -1
        deleting 500 mails in Inbox
      decided: finished 500
      too late: interceptionDecided
      reported: interceptionDropped

      """)
  }

  func testScenesArePlayed() throws {
    let output = try Example.output(of: "PlayedScenes")
    for line in ["  ship.$crew.remove(at: 1)", "    → crew: removal at 1, wages: setting"] {
      XCTAssertTrue(output.contains(line + "\n"), output)
    }
    XCTAssertFalse(output.contains("✗"), output)
  }

  func testATimerKeepsItsTargetUnlessItBelongsToIt() throws {
    XCTAssertEqual(
      try Example.output(of: "TimerAndTarget"),
      """
      The closure captures its object:
        leaky page refreshes
      given up, but the timer keeps it
        leaky page refreshes
      blocks that wait: 1
      The block belongs to its object:
        leaky page refreshes
        page refreshes, tick 0
      given up
        the page is gone
      blocks that wait: 1, which is the leaky one
        leaky page refreshes

      """)
  }

  func testACancelledTimeoutFreesWhatItKeeps() throws {
    XCTAssertEqual(
      try Example.output(of: "CancelledInTime"),
      """
      requests that wait: 2
        buffer of users freed
      users: 12 users
      users: 12 users again, not waited for
      users' timeout cancelled, waiting: 1
        orders timed out
        buffer of orders freed
      orders: 3 orders, not waited for
      orders' timeout ran
      a report at 6000000000 ns
      another report: CancellationError

      """)
  }

  func testTypingIsSearchedForWhenItRests() throws {
    XCTAssertEqual(
      try Example.output(of: "DebouncedSearch"),
      """
      Typing quickly, then resting:
        700 ms: search for "swift"
      Typing without a rest:
        2000 ms: search for "delayed bl"
        2400 ms: search for "delayed blocks"
      return is pressed: searched at once
      Leaving the page:
        cancelled: true
      A download that reports every 30 ms:
        3400 ms: 0 %
        3500 ms: 30 %
        3600 ms: 60 %
        3700 ms: 90 %
        3800 ms: 100 %
      waiting: false

      """)
  }

  func testAssociatedValuesEndWithTheirObject() throws {
    XCTAssertEqual(
      try Example.output(of: "AssociatedValues"),
      """
      An object with values:
        label: none
        label: connection to 80
        a hook is removed: true
        before the deinit of 80
        deinit of connection 80
        statistics of 80 freed
        80 is gone, its values too
      The next object, often at the same address:
        label: none
        label: connection to 443
        a hook is removed: true
        before the deinit of 443
        deinit of connection 443
        statistics of 443 freed
        443 is gone, its values too
      Values taken away:
        statistics of 22 freed
        label: none

      """)
  }

  func testEveryExampleIsShort() throws {
    for program in try FileManager.default.contentsOfDirectory(atPath: Example.folder.path) {
      let file = Example.folder.appendingPathComponent("\(program)/main.swift")
      // Libraries of examples have none.
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      XCTAssertLessThanOrEqual(lines.count, 61, program)
    }
  }

  func testEveryExampleIsListed() throws {
    let list = try String(
      contentsOf: Example.folder.appendingPathComponent("README.md"), encoding: .utf8)
    for program in try FileManager.default.contentsOfDirectory(atPath: Example.folder.path) {
      let file = Example.folder.appendingPathComponent("\(program)/main.swift")
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      XCTAssertTrue(list.contains("| `\(program)` | "), program)
    }
  }

  func testAFormObservesItsModel() throws {
    XCTAssertEqual(
      try Example.output(of: "ObservedForm"),
      """
        the button is disabled
      filled in
      address given
        the map moves from nowhere to London
        the button is enabled
      moved
        the map moves from London to Marlow
      password removed
        the button is disabled
      the form is closed, observers: 0
      observers: 0

      """)
  }

  func testChangesAreAwaited() throws {
    XCTAssertEqual(
      try Example.output(of: "AwaitedChanges"),
      """
      bytes: 0 to 16
      bytes: 16 to 25
      insertion at 0: ["The "]
      insertion at 1: ["quick "]
      insertion at 2: ["brown "]
      insertion at 3: ["fox "]
      insertion at 4: ["jumps"]
      observers: 0

      """)
  }

  func testMessagesAreObserved() throws {
    XCTAssertEqual(
      try Example.output(of: "ObservedMessages"),
      """
      sent: /a
        the page loads /a
      invoked: /a
      scrolled by 0 2
      scrolled by 0 3

      """)
  }

  func testMethodsAreHookedAndReplaced() throws {
    XCTAssertEqual(
      try Example.output(of: "HookedMethod"),
      """
      Oslo -3.0, Rome 20.0
        asked for Rome
      Rome 20.0
      Atlantis 4.0, Oslo -3.0 / Atlantis 20.0
      Oslo 270.0, Oslo -3.0
      Rome 0.5
      Rome 20.0

      """)
  }

  func testASwiftProtocolIsServedByMessages() throws {
    XCTAssertEqual(
      try Example.output(of: "ServedProtocol"),
      """
      missing: ["page:didLoad:"]
      `page:didLoad:`: argument 3: closure takes f (Float), protocol gives q (Int64)
      loaded 3
      closed: false
      closed: true

      """)
  }

  func testChangesAreUndoneAndRedone() throws {
    XCTAssertEqual(
      try Example.output(of: "UndoneChanges"),
      """
      drawn: "House" ["circle", "square", "roof"], undo: draw a house
      undone: "Sun" ["circle"], undo: rename
      undone: "untitled" ["circle"], undo: add circle
      redone: "House" ["circle", "square", "roof"], undo: draw a house
      redo: nothing
      undone as far as it goes: "untitled" ["circle"], undo: nothing

      """)
  }

  func testMessagesAreRecordedAndSentLater() throws {
    XCTAssertEqual(
      try Example.output(of: "RecordedMessage"),
      """
      recorded: deposit:for: 10
      Ada: 10 for a gift, 10 in all
      Bo: 10 for a gift, 10 in all
      Bo: -4 for a book, 6 in all
      answered: 6
      cancelled in time: true
      Ada: -1 for a coffee, 9 in all
      unrecognizedSelector: deposit:to: was sent to an instance of Account, which has no method for \
      it and forwards it to nobody; did you mean deposit:for:?

      """)
  }

  func testImportedFunctionsAreWatchedCountedAndReplaced() throws {
    try XCTSkipIf(
      Example.isSanitized, "a sanitizer has functions of its own in the program for malloc")
    XCTAssertEqual(
      try Example.output(of: "HookedImports"),
      """
      getenv("HOOKED_HOME") = "/home/hooked" for HookedImports.homeDirectory() -> Swift.String
      home: /home/hooked
      home, not watched: /home/hooked
      malloc(10000): 2 ×
      malloc(20000): 1 ×
      2 hours pass at once
      seconds left: 0
      slots hooked: false

      """)
  }

  func testOneBlockIsReplacedOneIsPrintedAndThenEveryOneIs() throws {
    try XCTSkipIf(
      Example.isSanitized, "a sanitizer has functions of its own in the program for libdispatch's")
    XCTAssertEqual(
      try Example.output(of: "EveryBlockPrinted"),
      """
      Good morning, all 7 of you
      Hello world
      Good morning, all 7 of you
      arguments: i32 3, double 1.5
      area: 4.5
      area: 6.0
        block called with (i32 5, double 1.5)
      area: 7.5
        block called with (i32 9)
      Good evening, all 9 of you
        block called with ()
      on a queue
        block called with ()
      on a queue, waited for
      area: 9.0
      on a queue, not hooked

      """)
  }

  func testTracedProgramsRunByThemselves() throws {
    XCTAssertEqual(try Example.output(of: "Thumbnails"), "4 pictures saved\n")
    XCTAssertEqual(try Example.output(of: "SlowDownload"), "hello\n")
  }

  func testFunctionsAreCalledByTheirSignatures() throws {
    XCTAssertEqual(
      try Example.output(of: "CalledBySignature"),
      """
      pow(2, 10) = 1024.0
      hypot(3, 4) = 5.0
      abs(-5) = 5
      strlen(blocks) = 6
      toupper(98) = 66
      abs: typeMismatch: argument 0: "five" cannot be stored as i (int32)
      abs: argumentIndex: there is no argument 1: the signature ii lists 1
      powers of two: [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]
      formatted: 24 bytes

      """)
  }

  func testEncodingsAreExplained() throws {
    XCTAssertEqual(
      try Example.output(of: "ExplainedEncodings"),
      """
      i20@?0i8d12: a block that returns int32
        0 @?: block, 8 bytes
        1 i: int32, 4 bytes
        2 d: double, 8 bytes
      v@:@"Page"{Point="x"d"y"d}: a method that returns void
        0 @: object, 8 bytes
        1 :: selector, 8 bytes
        2 @"Page": object, 8 bytes
        3 {Point="x"d"y"d}: struct, 16 bytes
      ddd: a function that returns double
        0 d: double, 8 bytes
        1 d: double, 8 bytes
      unexpectedEnd at byte 11 in "v@?{Point=d": a record is not closed; add }
      record: 24 bytes, aligned to 8
        fields at [0, 8, 16]
      Reading: {Reading=id}
      unsupportedSwiftType: Swift.String: the type has no counterpart in C; pass a pointer, a C string or an object
      v24@?0i8{Point="x"d"y"d}16 fits
      v@?I{Point=dd} differs: argument 1: hook takes i (Int32), block gives I (UInt32)
      v@?i differs: argument count: hook takes 3, block gives 2

      """)
  }

  func testRecordedCallsAreMadeAgain() throws {
    XCTAssertEqual(
      try Example.output(of: "ReplayedCalls"),
      """
      price(1, 20.0) = 20.0
      price(10, 20.0) = 200.0
      price(12, 0.5) = 6.0
      price(0, 99.0) = 0.0
      as before: true
      2 matched, 2 differ, 0 skipped
      call 2: price(10, 20.0) = 200.0 — expected 200.0, got 180.0
      call 3: price(12, 0.5) = 6.0 — expected 6.0, got 5.4

      """)
  }
}
