import BlockRuntime
import CDemoBlocks

extension Tour {
  /// Hooks a block in a page that most linkers have made read-only, and checks that its protection
  /// is the same again.
  @Sendable
  static func hookGlobalBlock(_ exhibits: Exhibits, _ log: StepLog) throws {
    let block = exhibits.global
    let wasWritable = Exhibits.isWritable(block)
    let hook = try block.hook(.after, onError: { log.check("\($0)", false) }) { call in
      log.say("sum(\(call.arguments)) = \(call.resultText ?? "nothing")")
      try call.setResult(Int32(0))
    }
    defer { hook.remove() }
    log.check("C calls sum(20, 22)", Exhibits.callSum(block, 20, 22), is: 0)
    log.check("hooked, its page is as it was", Exhibits.isWritable(block), is: wasWritable)
    hook.remove()
    log.check("after removal C calls sum(20, 22)", Exhibits.callSum(block, 20, 22), is: 42)
  }

  /// Hooks a block on the heap, until the block dies.
  @Sendable
  static func hookHeapBlock(_ exhibits: Exhibits, _ log: StepLog) throws {
    let shared = exhibits.scaling
    let hook = try shared.printArguments { log.say("scale gets \($0)") }
    defer { hook.remove() }
    let tripled = Exhibits.callScaling(shared, 14)
    log.check("C calls scale(14)", tripled, is: 42)

    // SAFETY: the function returns a block with one reference, which `adopted` takes over, or null.
    var mortal: Block? = unsafe try Exhibits.adopted(cdemo_make_scaling_block(5))
    let watch = try mortal?.hook([.before, .death]) { call in log.say("\(call.position)") }
    let said = try log.hearing {
      let result: Int32? = try mortal?.call(2)
      log.check("a block of its own, scale(2)", result, is: 10)
      mortal = nil
    }
    log.check("its hook saw", said, is: ["before", "death"])
    log.check("the hook ended with its block", watch?.isInstalled == false)
  }

  /// Changes a result that is a structure.
  @Sendable
  static func changeStructResult(_ exhibits: Exhibits, _ log: StepLog) throws {
    let block = exhibits.rect
    let plain: CDemoRect = try block.call(3.0, 4.0)
    log.check("makeRect(3, 4)", plain.text, is: "10 10 3 4")
    let hook = try block.hook(.after, onError: { log.check("\($0)", false) }) { call in
      var rect: CDemoRect = try call.result()
      log.say("makeRect(\(call.arguments)) = \(call.resultText ?? "nothing")")
      rect.width *= 100
      try call.setResult(rect)
    }
    defer { hook.remove() }
    let changed = Exhibits.callRect(block, 3, 4)
    log.check("C calls makeRect(3, 4)", changed.text, is: "10 10 300 4")
  }

  /// Prints a C string and a block, and calls that block.
  @Sendable
  static func printStringAndNestedBlock(_ exhibits: Exhibits, _ log: StepLog) throws {
    let block = exhibits.spelling
    let printing = try block.printArguments { log.say("spell gets \($0)") }
    defer { printing.remove() }
    let changing = try block.hook(onError: { log.check("\($0)", false) }) { call in
      let text: String = try call.argument(1)
      let visit: Block = try call.argument(2)
      log.say("the inner block is \(visit.encoding ?? "without signature")")
      try visit.call(-1, Int8(UInt8(ascii: "!")))
      try call.setArgument(1, text + " world")
      try call.proceed()
    }
    defer { changing.remove() }
    // C's `char` has the sign that the processor's rules give it.
    #if arch(arm64)
    let character = "C"
    #else
    let character = "c"
    #endif
    let (length, visits) = Exhibits.callSpelling(block, "Hello")
    log.check(
      "the arguments were printed as changed",
      log.said.contains { $0.hasPrefix("spell gets \"Hello world\", block v@?i\(character) 0x") })
    log.check("C calls spell(\"Hello\")", length, is: 11)
    log.check("visits, one of them by the hook", visits, is: 12)
  }
}

extension CDemoRect {
  /// The four numbers.
  fileprivate var text: String {
    [x, y, width, height].map { String(Int($0)) }.joined(separator: " ")
  }
}
