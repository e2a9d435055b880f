import BlockRuntime

/// An object with a property of each form in which a reference can be stored.
final class Page: KeyValueObservable, @unchecked Sendable {
  var next: Page?
  weak var parent: Page?
  unowned(unsafe) var owner: Page?
  var onLoad: (() -> Void)?
  var convert: ((Int) -> Int)?
  var pages: [Page] = []
  var slice: ArraySlice<Page> = []
  var byName: [String: Page] = [:]
  var byNumber: [Int: [Page?]] = [:]
  var members: Set<Member> = []
  var three: [3 of Page?] = [nil, nil, nil]
  var any: Any?
  var object: AnyObject?
  var error: (any Error)?
  var named: any Named = Nobody()
  var sequence: (any Sequence<Int>)?
  var pair: (number: Int, page: Page?) = (0, nil)
  var nested = Nested()
  var choice = Choice.none
  var block: (@convention(block) () -> Void)?
  var held: Block?
  var delayed: DelayedBlock?
  var timer: DelayTimer?
  @Observed var title = ""
  @Observed var shown: Page?
}

protocol Named {}
struct Nobody: Named {}
struct Somebody: Named {
  let name: String
  let page: Page
  let address: (Int, Int, Int)
}

struct Pages: Sequence {
  let page: Page
  func makeIterator() -> some IteratorProtocol<Int> { [1].makeIterator() }
}

struct Member: Hashable {
  let page: Page
  static func == (first: Member, second: Member) -> Bool { first.page === second.page }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(page)) }
}

struct Failure: Error { let page: Page }

struct Nested {
  struct Inner {
    var number = 1
    var page: Page?
  }
  var text = "a text that is too long to be stored inline"
  var inner = Inner()
}

indirect enum Choice {
  case none
  case number(Int)
  case page(Page, number: Int)
  case deep(Choice)
}
