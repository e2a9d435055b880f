import BlockRuntime
import CDemoBlocks

extension Tour {
  /// Hooks a Swift block that libdispatch calls.
  @Sendable
  static func hookQueuedBlock(_ exhibits: Exhibits, _ log: StepLog) throws {
    let work: @convention(block) @Sendable () -> Void = { log.say("the work itself") }
    let block = try Block(work)
    log.check("the block", block.encoding, is: "v8@?0")
    let hook = try block.printInstead { log.say($0) }
    defer { hook.remove() }
    let async = log.hearing { Exhibits.runAsync(block) }
    log.check("dispatch_async ran", async, is: ["Hello world"])
    let sync = log.hearing { Exhibits.runSync(block) }
    log.check("dispatch_sync ran", sync, is: ["Hello world"])
    hook.removeAndWait()
    let plain = log.hearing { Exhibits.runAsync(block) }
    log.check("after removal dispatch_async ran", plain, is: ["the work itself"])
  }

  /// Hooks a block made by `dispatch_block_create`, which libdispatch recognises by its code.
  @Sendable
  static func hookDispatchBlock(_ exhibits: Exhibits, _ log: StepLog) throws {
    // SAFETY: the function returns a block with one reference, which `adopted` takes over, or null.
    let block = unsafe try Exhibits.adopted(cdemo_make_dispatch_block())
    let runsBefore = cdemo_dispatch_block_runs()
    log.check("libdispatch's object holds another block", block.dispatchedBlock != nil)
    let hook = try block.hook(onError: { log.check("\($0)", false) }) { call in
      log.say("before the work")
      try call.proceed()
      log.say("after the work, run \(cdemo_dispatch_block_runs() - runsBefore)")
    }
    defer { hook.remove() }
    let said = log.hearing { Exhibits.runAsync(block) }
    log.check("dispatch_async ran", said, is: ["before the work", "after the work, run 1"])
    hook.remove()
    log.check("its hooks are gone", block.hooks.isEmpty)
  }

  /// Checks that every block of the tour has its own code and no hooks.
  @Sendable
  static func checkThatAllIsRestored(_ exhibits: Exhibits, _ log: StepLog) throws {
    for (name, block) in exhibits.all {
      log.check("\(name): its own code, no hooks", exhibits.isRestored(block))
    }
    log.check(
      "the global block's page is as it was", Exhibits.isWritable(exhibits.global),
      is: exhibits.isGlobalWritable)
    log.check("add(3, 4.5)", exhibits.add(3, 4.5), is: 7)
  }
}
