#if Macros
public import MessageMacros

final class Page {
  var isOpen = true
}

@Forwarding
protocol PageDelegate: AnyObject {
  func page(_ page: Page, didLoad count: Int)
  @Optional(default: true) func pageShouldClose(_ page: Page) -> Bool
}

final class PageDelegates: PageDelegateForwarding { let targets = Targets() }

/// An error of a typed requirement.
public struct LoadingError: Error, Equatable {
  var code = 0
}

/// Each kind of answer.
@Forwarding
protocol Answering: AnyObject {
  func flag() -> Bool
  func name() -> String?
  func count(of word: String) -> Int
  func list() -> [Int]
  func load(count: Int) throws -> Page
  func check(_ number: Int) throws
  func strictly() throws(LoadingError) -> Int
  @Optional(default: Page()) func page() -> Page
  @Optional func hint(_ text: String) throws -> String
  @Optional func ended()
  func add(to list: inout [Int])
  func with(_ body: (Int) -> Void)
  func log(_ text: @autoclosure () -> String)
}

final class Answerers: AnsweringForwarding { let targets = Targets() }

@Forwarding
protocol Titled: AnyObject {
  var title: String { get set }
  var size: Int { get throws }
  @Optional(default: "none") var subtitle: String { get }
  func move(to place: Int)
  func move(by distance: Int)
  @Named("moveTwice") @SentAs("moveTwice:") func move(_ place: Int)
}

final class TitledObjects: TitledForwarding { let targets = Targets() }

/// A protocol whose forwarder other modules see.
@Forwarding
public protocol PublicDelegate: AnyObject, Sendable {
  func received(_ number: Int)
  func total(_ number: Int) -> Int
  func load(_ number: Int) async throws -> Int
  @Optional(default: 7) func later() async -> Int
  func typed() async throws(LoadingError) -> Int
  func finish(_ name: String) async
  @Optional(default: Unshared()) func unshared() async -> Unshared
}

/// What cannot be sent to another isolation.
public final class Unshared {
  var name = ""
}

/// A forwarder that other modules see.
public final class PublicDelegates: PublicDelegateForwarding {
  /// The targets and policies.
  public let targets = Targets()

  /// Creates one without targets.
  public init() {}
}

@MainActor @Forwarding
protocol Screen: AnyObject {
  func draw(_ page: Page)
  @Optional(default: 1) var scale: Int { get }
  func wait() async -> Bool
}

final class Screens: @MainActor ScreenForwarding { let targets = Targets() }

@Forwarding
protocol Base: AnyObject {
  func base(_ number: Int)
  @Optional(default: "base") func word() -> String
}

final class Bases: BaseForwarding { let targets = Targets() }

@Forwarding
protocol Other: AnyObject {
  var other: Int { get set }
}

@Forwarding
protocol Derived: Base, Other {
  func derived() -> Int
}

@Forwarding
protocol Deepest: Derived {
  func deepest() -> Bool
}

final class DeepestObjects: DeepestForwarding { let targets = Targets() }

enum Nested {
  @Forwarding
  protocol Delegate: AnyObject {
    func nested()
  }

  final class Delegates: DelegateForwarding { let targets = Targets() }
}
#endif
