import BlockABI
import BlockHooks
import CFixtures
import Glibc
import Invocations
import SymbolInterposing

// SAFETY, for the whole file: the fixtures say what their blocks are, and all live until the end.

/// Says what a debugger's command must print, by what this process knows itself.
func expect(_ command: String, _ text: String) { print("expect \(command)|\(text)") }

private func expectFacts(of block: Block, _ name: String) {
  let address = unsafe block.withUnsafePointer { UInt(bitPattern: $0) }
  let command = "pblock \(name)"
  expect(
    command, "\(block.kind.rawValue) block 0x\(String(address, radix: 16)), \(block.size) bytes")
  expect(command, "flags       0x\(String(block.flags.rawValue, radix: 16)) ")
  if let encoding = block.encoding { expect(command, ", \(encoding)") }
  if let symbol = block.implementation?.mangledName { expect(command, symbol) }
  expect("phooks", "block 0x\(String(address, radix: 16)) ")
}

/// Hooks blocks of all kinds, describes them, and stops.
@inline(never)
func stopForADebugger() throws {
  guard let heap = unsafe fixture_heap_adder(3), let global = unsafe fixture_global_adder() else {
    return
  }
  let heapBlock = unsafe Block(unsafePointer: heap)
  let globalBlock = unsafe Block(unsafePointer: global)
  let base = Int32(CommandLine.arguments.count)
  let closure: IntBlock = { $0 + base }
  let closureBlock = try Block(closure)

  // Out of order on purpose: the chain is what is asked for.
  let inner = try heapBlock.hook(name: "inner") { call in try call.proceed() }
  try heapBlock.hook([.before, .after], name: "a name of more than fifteen bytes", priority: -7) {
    _ in
  }
  try heapBlock.hook(.death) { _ in }
  try heapBlock.hook(.before, name: "limited", priority: 9, when: .times(100)) { _ in }
  try closureBlock.hook(name: "of Swift") { call in try call.proceed() }
  try globalBlock.hook(.before, name: "global") { _ in }
  let removed = try globalBlock.hook(name: "removed") { call in try call.proceed() }
  removed.remove()
  expect("phooks heap", "1. \"limited\", before, priority 9, with conditions, installed")
  expect("phooks heap", "2. without name, death, priority 0, installed")
  expect(
    "phooks heap", "3. \"\(inner.name ?? "")\", instead, priority \(inner.priority), installed")
  expect(
    "phooks heap", "4. \"a name of more than fifteen bytes\", before after, priority -7, installed")
  expect("phooks global", "1. \"global\", before, priority 0, installed")
  print("refuse phooks global|2.")
  expect("phooks closure", "1. \"of Swift\", instead, priority 0, installed")
  expectFacts(of: heapBlock, "heap")
  expectFacts(of: globalBlock, "global")
  expectFacts(of: closureBlock, "closure")
  expect("pblock heap", "captures    +32 03 00 00 00, 3")
  expect("pblock heap", "int (int), ")
  expect("pblock global", "captures    none")

  expect("phooks", "\"of Swift\", instead")

  // One of every block's hooks, and captures by value and by reference.
  var magic = BlockFilter()
  magic.symbols = ["*captures_magic*"]
  let every = try EveryBlock(matching: magic).hook(.before, name: "every") { _ in }
  let watched = unsafe fixture_block_that_captures_magic()
  expect("phooks watched", "1. \"every\", before, priority 0, installed")
  expect("phooks", "\"every\", before")
  expect("pblock watched", "0xd159b10c")
  var capturing: UnsafeRawPointer?
  unsafe fixture_with_capturing_block(7, &capturing) { place, block in
    unsafe place?.storeBytes(of: fixture_copy(block), as: UnsafeRawPointer?.self)
  }
  for text in [", block", ", __block variable, 32 bytes at 0x", "copy        0x", "dispose     0x"]
  {
    expect("pblock capturing", text)
  }

  let invocation = try Invocation(heapBlock)
  try invocation.setArgument(1, Int32(39))
  try invocation.invoke()
  let object = unsafe Unmanaged.passUnretained(invocation).toOpaque()
  for text in ["target      block 0x", "signature   int (block, int)", "argument 1  39"] {
    expect("pinvocation invocation", text)
  }
  expect("pinvocation invocation", "result      \(try invocation.result(as: Int32.self))")
  let power = unsafe Invocation(try CFunction(symbol: "pow", signature: "ddd"))
  try power.setArgument(0, 2.0)
  for text in ["target      function 0x", "signature   double (double, double)", "argument 0  2"] {
    expect("pinvocation call", text)
  }
  expect("pinvocation call", "argument 1  unset")
  expect("pinvocation call", "result      none")
  expect("pblock invocation", "there is no block at 0x")
  expect("pinvocation heap", "is no Invocation")
  expect("pblock 16", "8 bytes at 0x10 cannot be read")
  expect("pblock nothing_of_this_name", "has no value here")

  let call = unsafe Unmanaged.passUnretained(power).toOpaque()
  unsafe expect("pblock heap", "references  \(fixture_reference_count(heap))")
  // The box of a block, as a variable of the type `Block` begins.
  let box = unsafe withUnsafeBytes(of: heapBlock) { unsafe $0.load(as: UnsafeRawPointer.self) }
  expect("pblock box", "heap block 0x\(String(UInt(bitPattern: heap), radix: 16))")
  expect("phooks box", "3. \"inner\"")
  let objects = try StoppedObjects()
  fflush(nil)
  unsafe closureBlock.withUnsafePointer { closure in
    unsafe fixture_stop(
      heap, global, closure, capturing, watched, object, call, box,
      Unmanaged.passUnretained(objects.page).toOpaque(),
      Unmanaged.passUnretained(objects.proxy).toOpaque())
  }
  every.remove()
  withExtendedLifetime((inner, invocation, power, objects)) {}
}
