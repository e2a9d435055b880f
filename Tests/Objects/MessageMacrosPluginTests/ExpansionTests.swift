#if Macros
import XCTest

/// What the macros write.
final class ExpansionTests: XCTestCase {
  func testAForwarderHasOneExpressionForEachRequirement() {
    XCTAssertEqual(
      ExpandedSource(
        """
        @Forwarding
        protocol PageDelegate: AnyObject {
          func page(_ page: Page, didLoad count: Int)
          @Optional(default: true) func pageShouldClose(_ page: Page) -> Bool
        }
        """
      ).text,
      """

      protocol PageDelegate: AnyObject {
        func page(_ page: Page, didLoad count: Int)
        func pageShouldClose(_ page: Page) -> Bool
      }

      /// The requirements of `PageDelegate`, as its forwarders see them.
      enum PageDelegateRequirements: MessageMacros.ForwardedRequirements {
        struct WeakTarget: MessageMacros.WeakTarget {
          weak let target: (any PageDelegate)?
          init(_ target: (any PageDelegate)?) {
            self.target = target
          }
        }

        struct Closures: MessageMacros.RequirementNames {
          var pageDidLoad: ((Page, Int) -> Void)?
          var pageShouldClose: ((Page) -> Bool)?
          init() {
          }
        }

        struct Policies: MessageMacros.RequirementNames, Sendable {
          var pageShouldClose = MessageMacros.AnswerPolicy<Bool>.first
          init() {
          }
        }

        typealias Parts = MessageMacros.NoParts<PageDelegateRequirements>

        static let _messageProtocol = MessageMacros.describedProtocol(
          "PageDelegate", inheriting: [],
          [
            .required("page:didLoad:", taking: Page.self, Int.self, returning: Void.self),
            .optional("pageShouldClose:", taking: Page.self, returning: Bool.self),
          ])

        static func _methods<Whole: MessageMacros.ForwardedRequirements>(of type: Whole.Type, _ target: @escaping @Sendable (Whole.Target) -> any PageDelegate) -> [MessageForwarding.Method] {
          [
            MessageMacros.ConformingReceiver<Whole>.method("page:didLoad:") { (receiver: Whole.Target, argument0: Page, argument1: Int) throws in
              target(receiver).page(argument0, didLoad: argument1)
            },
            MessageMacros.ConformingReceiver<Whole>.optionalMethod("pageShouldClose:", MessageMacros.OptionalRequirement("pageShouldClose(_:Page)", of: PageDelegateRequirements.self)) { (receiver: Whole.Target, argument0: Page) throws -> Bool in
              target(receiver).pageShouldClose(argument0)
            },
          ]
        }

        static let _proxies = MessageMacros.ProxyTargets<PageDelegateRequirements>()
      }

      protocol PageDelegateForwarded: PageDelegate {
        var _pageDelegateTargets: MessageMacros.ForwardingTargets<PageDelegateRequirements> {
          get
        }
      }

      /// A class that sends the requirements of `PageDelegate` on to targets: a typed multicast delegate.
      ///
      /// ```swift
      /// final class PageDelegates: PageDelegateForwarding { let targets = Targets() }
      /// ```
      protocol PageDelegateForwarding: PageDelegateForwarded, MessageMacros.InitializableForwarder where Requirements == PageDelegateRequirements {
        /// The type of the targets and policies.
        typealias Targets = MessageMacros.ForwardingTargets<PageDelegateRequirements>
      }

      /// A class that gets the requirements of `PageDelegate` as messages to itself: a proxy.
      protocol PageDelegateMessages: PageDelegateForwarded, MessageForwarding.MessageProxy {
      }

      extension PageDelegate where Self: PageDelegateForwarded, Self: MessageMacros.Forwarder, Self.Requirements == PageDelegateRequirements {
        var _pageDelegateTargets: MessageMacros.ForwardingTargets<PageDelegateRequirements> {
          targets
        }
      }

      extension PageDelegate where Self: PageDelegateMessages {
        var _pageDelegateTargets: MessageMacros.ForwardingTargets<PageDelegateRequirements> {
          PageDelegateRequirements._proxies.targets(of: self)
        }
        nonisolated static var answeredProtocols: [MessageForwarding.MessageProtocol] {
          get throws(MessageForwarding.MessageError) {
            try [PageDelegateRequirements.messageProtocol]
          }
        }
      }

      extension PageDelegate where Self: PageDelegateForwarded {
        @available(*, unavailable, message: "a forwarder of PageDelegate is a class of its own that conforms to PageDelegateForwarding, and forwards what PageDelegate inherits too: it is no subclass of a forwarder of another protocol, whose targets need not conform to PageDelegate")
        var _pageDelegateTargets: MessageMacros.ForwardingTargets<PageDelegateRequirements> {
          MessageMacros.ForwardingTargets()
        }

        func page(_ page: Page, didLoad count: Int) {
          _pageDelegateTargets.send(
            "page:didLoad:",
            object: {
              $0.page(page, didLoad: count)
            },
            closure: {
              if let _body = $0.pageDidLoad {
                _body(page, count)
              } else {
                nil
              }
            },
            message: { _receiver, _selector in
              try _receiver.send(_selector, page, count, returning: Void.self)
            })
        }

        func pageShouldClose(_ page: Page) -> Bool {
          _pageDelegateTargets.ask(
            "pageShouldClose:",
            policy: {
              $0.pageShouldClose
            },
            object: { _target in
              MessageMacros.OptionalRequirement("pageShouldClose(_:Page)", of: PageDelegateRequirements.self).ask(_target) {
                _target.pageShouldClose(page)
              }
            },
            closure: {
              if let _body = $0.pageShouldClose {
                MessageMacros.OptionalRequirement("pageShouldClose(_:Page)", of: PageDelegateRequirements.self).call {
                  _body(page)
                }
              } else {
                nil
              }
            },
            message: { _receiver, _selector in
              try MessageMacros.OptionalRequirement("pageShouldClose(_:Page)", of: PageDelegateRequirements.self).callThrowing {
                try _receiver.send(_selector, page, returning: Bool.self)
              }
            },
            default: MessageMacros.OptionalRequirement("pageShouldClose(_:Page)", of: PageDelegateRequirements.self).leftOut(by: self, answering: true))
        }
      }

      extension PageDelegate {
        func pageShouldClose(_ page: Page) -> Bool {
          MessageMacros.OptionalRequirement("pageShouldClose(_:Page)", of: PageDelegateRequirements.self).leftOut(by: self, answering: true)
        }
      }
      """)
  }

  func testAForwarderOfAPublicProtocolThatInheritsHasParts() {
    XCTAssertEqual(
      ExpandedSource(
        """
        @Forwarding
        public protocol Loading: Sendable, Titled {
          var size: Int? { get set }
          func load(_ number: Int) async throws(LoadingError) -> Int
        }
        """
      ).text,
      """

      public protocol Loading: Sendable, Titled {
        var size: Int? { get set }
        func load(_ number: Int) async throws(LoadingError) -> Int
      }

      /// The requirements of `Loading`, as its forwarders see them.
      public enum LoadingRequirements: MessageMacros.ForwardedRequirements {
        public struct WeakTarget: MessageMacros.WeakTarget, Sendable {
          public weak let target: (any Loading)?
          public init(_ target: (any Loading)?) {
            self.target = target
          }
        }

        @dynamicMemberLookup
        public struct Closures: MessageMacros.RequirementNames, Sendable {
          public var asTitled = TitledRequirements.Closures()
          public var size: (@Sendable () -> Int?)?
          public var setSize: (@Sendable (Int?) -> Void)?
          public var load: (@Sendable (Int) async throws(LoadingError) -> Int)?
          public init() {
          }
          public subscript <Value>(dynamicMember path: WritableKeyPath<TitledRequirements.Closures, Value>) -> Value {
            get {
              asTitled[keyPath: path]
            }
            set {
              asTitled[keyPath: path] = newValue
            }
          }
        }

        @dynamicMemberLookup
        public struct Policies: MessageMacros.RequirementNames, Sendable {
          public var asTitled = TitledRequirements.Policies()
          public var size = MessageMacros.AnswerPolicy<Int?>.first
          public var load = MessageMacros.AnswerPolicy<Int>.first
          public init() {
          }
          public subscript <Value>(dynamicMember path: WritableKeyPath<TitledRequirements.Policies, Value>) -> Value {
            get {
              asTitled[keyPath: path]
            }
            set {
              asTitled[keyPath: path] = newValue
            }
          }
        }

        public struct Parts: MessageMacros.ForwarderParts, Sendable {
          public let asTitled = MessageMacros.ForwardingTargets<TitledRequirements>()
          public init() {
          }
          public func replace(by list: MessageMacros.TargetList<LoadingRequirements>) {
            asTitled.replace(by: list.part(target: {
                  $0
                }, closures: {
                  $0.asTitled
                }, policies: {
                  $0.asTitled
                }))
          }
        }

        public static let _messageProtocol = MessageMacros.describedProtocol(
          "Loading", inheriting: [TitledRequirements._messageProtocol],
          [
            .required("size", returning: Int?.self),
            .required("setSize:", taking: Int?.self, returning: Void.self),
            MessageMacros.AsyncMessage.described("load:", isRequired: true, taking: Int.self, returning: Int.self),
          ])

        public static func _methods<Whole: MessageMacros.ForwardedRequirements>(of type: Whole.Type, _ target: @escaping @Sendable (Whole.Target) -> any Loading) -> [MessageForwarding.Method] {
          [
            MessageMacros.ConformingReceiver<Whole>.method("size") { (receiver: Whole.Target) throws -> Int? in
              target(receiver).size
            },
            MessageMacros.ConformingReceiver<Whole>.method("setSize:") { (receiver: Whole.Target, argument0: Int?) throws in
              target(receiver).size = argument0
            },
          ] + TitledRequirements._inheritedMethods(of: type) {
            target($0)
          }
        }

        public static let _proxies = MessageMacros.ProxyTargets<LoadingRequirements>()

        public static var _inherited: [any MessageMacros.ForwardedRequirements.Type] {
          [TitledRequirements.self]
        }
      }

      public protocol LoadingForwarded: Loading, TitledForwarded {
        var _loadingTargets: MessageMacros.ForwardingTargets<LoadingRequirements> {
          get
        }
      }

      /// A class that sends the requirements of `Loading` on to targets: a typed multicast delegate.
      ///
      /// ```swift
      /// final class Loadings: LoadingForwarding { let targets = Targets() }
      /// ```
      public protocol LoadingForwarding: LoadingForwarded, MessageMacros.InitializableForwarder where Requirements == LoadingRequirements {
        /// The type of the targets and policies.
        typealias Targets = MessageMacros.ForwardingTargets<LoadingRequirements>
      }

      /// A class that gets the requirements of `Loading` as messages to itself: a proxy.
      public protocol LoadingMessages: LoadingForwarded, MessageForwarding.MessageProxy {
      }

      extension Loading where Self: LoadingForwarded, Self: MessageMacros.Forwarder, Self.Requirements == LoadingRequirements {
        public var _loadingTargets: MessageMacros.ForwardingTargets<LoadingRequirements> {
          targets
        }
      }

      extension Loading where Self: LoadingMessages {
        public var _loadingTargets: MessageMacros.ForwardingTargets<LoadingRequirements> {
          LoadingRequirements._proxies.targets(of: self)
        }
        public nonisolated static var answeredProtocols: [MessageForwarding.MessageProtocol] {
          get throws(MessageForwarding.MessageError) {
            try [LoadingRequirements.messageProtocol]
          }
        }
      }

      extension Loading where Self: LoadingForwarded {
        @available(*, unavailable, message: "a forwarder of Loading is a class of its own that conforms to LoadingForwarding, and forwards what Loading inherits too: it is no subclass of a forwarder of another protocol, whose targets need not conform to Loading")
        public var _loadingTargets: MessageMacros.ForwardingTargets<LoadingRequirements> {
          MessageMacros.ForwardingTargets()
        }

        public var _titledTargets: MessageMacros.ForwardingTargets<TitledRequirements> {
          _loadingTargets.parts.asTitled
        }

        public var size: Int? {
          get {
            _loadingTargets.ask(
              "size",
              policy: {
                $0.size
              },
              object: {
                $0.size
              },
              closure: {
                if let _body = $0.size {
                  _body()
                } else {
                  nil
                }
              },
              message: { _receiver, _selector in
                try _receiver.send(_selector, returning: Int?.self)
              },
              default: nil)
          }
          set {
            _loadingTargets.send(
              "setSize:",
              object: {
                $0.size = newValue
              },
              closure: {
                if let _body = $0.setSize {
                  _body(newValue)
                } else {
                  nil
                }
              },
              message: { _receiver, _selector in
                try _receiver.send(_selector, newValue, returning: Void.self)
              })
          }
        }

        public func load(_ number: Int) async throws(LoadingError) -> Int {
          #if hasFeature(NonisolatedNonsendingByDefault)
          return try await _loadingTargets.askAsync(
            "load:",
            policy: {
              $0.load
            },
            object: { _target throws(LoadingError) in
              try await _target.load(number)
            },
            closure: { _closures throws(LoadingError) in
              if let _body = _closures.load {
                try await _body(number)
              } else {
                nil
              }
            },
            message: { _receiver, _selector in
              try await MessageMacros.AsyncMessage.send(_selector, to: _receiver, number, returning: Int.self)
            },
            default: 0)
          #else
          return try await _loadingTargets.askConcurrent(
            "load:",
            policy: {
              $0.load
            },
            object: { _target throws(LoadingError) in
              try await _target.load(number)
            },
            closure: { _closures throws(LoadingError) in
              if let _body = _closures.load {
                try await _body(number)
              } else {
                nil
              }
            },
            message: { _receiver, _selector in
              try await MessageMacros.AsyncMessage.send(_selector, to: _receiver, number, returning: Int.self)
            },
            default: 0)
          #endif
        }
      }
      """)
  }

  func testQuotationMarksInNamesAreEscapedInLiterals() {
    let forwarder = ExpandedSource(
      """
      @Forwarding protocol P: AnyObject {
        @Optional func `say "a"`(_ count: Int)
        @SentAs(#"a"b:"#) func named(_ count: Int)
      }
      """
    ).text
    for literal in [
      #".optional("say \"a\":", taking"#, #"OptionalRequirement("say\"a\"(_:Int)", of"#,
      #".required("a\"b:", taking"#,
    ] {
      XCTAssertTrue(forwarder.contains(literal), "\(literal) in \(forwarder)")
    }
    let messages = ExpandedSource(
      """
      @Messages class A {
        func `say "a"`(_ count: Int) {}
        var `the "b"`: Int = 1
      }
      """
    ).text
    for literal in [#".init("say \"a\":")"#, #".property("the \"b\"","#] {
      XCTAssertTrue(messages.contains(literal), "\(literal) in \(messages)")
    }
  }
}
#endif
