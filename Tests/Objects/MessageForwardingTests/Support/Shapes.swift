import BlockHooks
import Invocations
import MessageForwarding
import TestSupport

/// A class with methods of every kind.
class Shape: MessageReceiver {
  struct Failure: Error, Equatable { let code: Int }

  let log = Recorder<String>()
  var title = "untitled"

  func name() -> String { "shape" }
  func scale(_ factor: Int32) -> Int32 { factor * 2 }
  func move(_ x: Double, _ y: Double) { log.record("move \(x) \(y)") }
  func fail(_ code: Int) throws -> Int { throw Failure(code: code) }
  func blend(_ a: Int8, _ b: UInt16, _ c: Float, _ d: Int64, _ e: Bool) -> String {
    "\(a) \(b) \(c) \(d) \(e)"
  }

  class var methods: MethodTable {
    MethodTable(Shape.self) {
      Method("name", Shape.name)
      Method("scale:", Shape.scale)
      Method("moveX:y:", Shape.move)
      Method("fail:", Shape.fail)
      Method("blend:with:at:seed:exactly:", Shape.blend)
      Method.property("title", \Shape.title)
      Method("area") { (_: Shape) -> Double in 1 }
      Method(
        "identity:", signature: "@@:@",
        frame: { try $0.setResult($0.argument(2, as: AnyObject.self)) })
      Method("count") { (_: ClassObject) -> Int in 7 }.ofClass()
    }
  }
}

/// One that overrides in Swift, in its table, and not at all.
class Square: Shape {
  override func name() -> String { "square" }

  override class var methods: MethodTable {
    MethodTable(Square.self) {
      Method("area") { (square: Square) -> Double in
        try 2 + square.sendSuper(of: Square.classObject, "area")
      }
      Method("side", { (_: Square) -> () -> Int32 in { 5 } })
    }
  }
}

final class Tile: Square {}
