import BlockRuntime
import CDemoBlocks

extension TourStep {
  /// What is special about C's blocks: where they lie, when they die, and what they take.
  static let ofCBlocks = [
    // Most linkers have made the page read-only.
    TourStep(
      "global-block", "A global C block lies in a protected page, and is hooked there",
      code: "try Block(unsafePointer: cdemo_global_block()).hook(.after) { … }"
    ) { exhibits, log in
      let block = exhibits.global
      let hook = try block.hook(.after) { call in
        log.say("sum(\(call.arguments)) = \(call.resultText ?? "nothing")")
        try call.setResult(Int32(0))
      }
      defer { hook.remove() }
      log.check("C calls sum(20, 22)", Exhibits.callSum(block, 20, 22), is: 0)
      log.check(
        "hooked, its page is as it was", Exhibits.isWritable(block), is: exhibits.isGlobalWritable)
      hook.remove()
      log.check("after removal C calls sum(20, 22)", Exhibits.callSum(block, 20, 22), is: 42)
    },
    TourStep(
      "heap-block", "A C block on the heap; its hook sees its end",
      code: "try block.hook([.before, .death]) { call in … }"
    ) { exhibits, log in
      let hook = try exhibits.scaling.install(.printing { log.say("scale: \($0)") })
      defer { hook.remove() }
      log.check("C calls scale(14)", Exhibits.callScaling(exhibits.scaling, 14), is: 42)
      // SAFETY: the function returns a block with one reference, which `adopted` takes over, or
      // null.
      var mortal: Block? = unsafe try Exhibits.adopted(cdemo_make_scaling_block(5))
      let watch = try mortal?.hook([.before, .death]) { call in log.say("\(call.position)") }
      try log.check("its hook saw", hearing: ["before", "death"]) {
        log.check("a block of its own, scale(2)", try mortal?.call(2) as Int32?, is: 10)
        mortal = nil
      }
      log.check("the hook ended with its block", watch?.isInstalled == false)
    },
    TourStep(
      "struct-result", "A result of 32 bytes is returned by the processor's rules",
      code: "try call.setResult(CDemoRect(…))"
    ) { exhibits, log in
      let block = exhibits.rect
      let plain: CDemoRect = try block.call(3.0, 4.0)
      log.check("makeRect(3, 4)", plain.text, is: "10 10 3 4")
      let hook = try block.hook(.after) { call in
        var rect: CDemoRect = try call.result()
        log.say("makeRect(\(call.arguments)) = \(call.resultText ?? "nothing")")
        rect.width *= 100
        try call.setResult(rect)
      }
      defer { hook.remove() }
      log.check("C calls makeRect(3, 4)", Exhibits.callRect(block, 3, 4).text, is: "10 10 300 4")
    },
    TourStep(
      "string-and-nested-block", "A C string and a block as arguments",
      code: "let visit: Block = try call.argument(2)"
    ) { exhibits, log in
      let block = exhibits.spelling
      let printing = try block.install(.printing { log.say("spell: \($0)") })
      defer { printing.remove() }
      let changing = try block.hook { call in
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
        log.said.contains { $0.hasPrefix("spell: \"Hello world\", block v@?i\(character) 0x") })
      log.check("C calls spell(\"Hello\")", length, is: 11)
      log.check("visits, one of them by the hook", visits, is: 12)
    },
  ]

  /// Blocks that libdispatch runs; it recognises those of `dispatch_block_create` by their code.
  static let ofQueuedBlocks = [
    TourStep(
      "dispatch-queue", "libdispatch runs the hooked block",
      code: "try Block(work).hook { _ in print(\"Hello world\") }; dispatch_async(queue, work)"
    ) { exhibits, log in
      let work: @convention(block) @Sendable () -> Void = { log.say("the work itself") }
      let block = try Block(work)
      log.check("the block", block.encoding, is: "v8@?0")
      let hook = try block.hook { _ in log.say("Hello world") }
      defer { hook.remove() }
      log.check("dispatch_async ran", hearing: ["Hello world"]) { Exhibits.runAsync(block) }
      log.check("dispatch_sync ran", hearing: ["Hello world"]) { Exhibits.runSync(block) }
      hook.removeAndWait()
      log.check("after removal dispatch_async ran", hearing: ["the work itself"]) {
        Exhibits.runAsync(block)
      }
    },
    TourStep(
      "dispatch-block-create", "A block made by dispatch_block_create",
      code: "try Block(unsafePointer: dispatch_block_create(0, ^{ … })).hook { … }"
    ) { exhibits, log in
      // SAFETY: the function returns a block with one reference, which `adopted` takes over, or
      // null.
      let block = unsafe try Exhibits.adopted(cdemo_make_dispatch_block())
      let runsBefore = cdemo_dispatch_block_runs()
      log.check("libdispatch's object holds another block", block.dispatchedBlock != nil)
      let hook = try block.hook { call in
        log.say("before the work")
        try call.proceed()
        log.say("after the work, run \(cdemo_dispatch_block_runs() - runsBefore)")
      }
      defer { hook.remove() }
      log.check("dispatch_async ran", hearing: ["before the work", "after the work, run 1"]) {
        Exhibits.runAsync(block)
      }
      hook.remove()
      log.check("its hooks are gone", block.hooks.isEmpty)
    },
  ]
}

extension CDemoRect {
  fileprivate var text: String {
    [x, y, width, height].map { String(Int($0)) }.joined(separator: " ")
  }
}
