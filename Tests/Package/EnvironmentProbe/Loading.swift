import BlockHooks
import Dispatch
import Glibc
import Invocations
import SymbolInterposing
import Synchronization

// SAFETY, for the whole file: the libraries are the test's, so their functions are known.

/// A library whose `user` returns what `foo` of its argument does, and one more.
@safe
private struct LoadedClient: @unchecked Sendable {
  // SAFETY: the loader locks; the handle is closed once.
  private let handle: UnsafeMutableRawPointer
  private let function: @convention(c) (Int32) -> Int32

  init?(_ path: String, _ mode: Int32 = RTLD_NOW) {
    guard let handle = unsafe dlopen(path, mode | RTLD_LOCAL),
      let function = unsafe dlsym(handle, "user")
    else { return nil }
    unsafe self.handle = unsafe handle
    self.function = unsafe unsafeBitCast(function, to: (@convention(c) (Int32) -> Int32).self)
  }

  func callAsFunction(_ x: Int32) -> Int32 { function(x) }

  func close() { unsafe dlclose(handle) }
}

/// Hooks `foo`, found anew: what is not relocated must not be taken for another function of that
/// name.
private func addHundred() throws -> Hook {
  try addHundred(to: unsafe ImportedFunction("foo", signature: "ii"))
}

private func addHundred(to function: ImportedFunction) throws -> Hook {
  try function.hook(.after) { call in
    try call.setResult(call.result(as: Int32.self) + 100)
  }
}

/// Runs two closures at once.
private func atOnce(
  _ first: @Sendable () throws -> Void, _ second: @Sendable () throws -> Void
) {
  DispatchQueue.concurrentPerform(iterations: 2) { index in
    do { try index == 0 ? first() : second() } catch { print(error) }
  }
}

/// Installs and removes hooks of a function beside loads of a library that calls it.
///
/// - Parameters:
///   - library: Defines `foo`.
///   - client: Calls it.
///   - rounds: How often.
/// - Throws: What installing the hook that stays throws.
func hookBesideLoading(_ library: String, _ client: String, rounds: Int) throws {
  guard unsafe dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nil else { return print("no library") }
  // Loads are followed from the first hook on; a thread that is on its way into `dlopen` then is
  // not.
  let standing = try unsafe ImportedFunction("getppid", signature: "i").hook { call in
    try call.proceed()
  }
  defer { standing.remove() }

  // When both are done, the library that was being loaded is hooked, or is not.
  var (lost, left) = (0, 0)
  for round in 0..<rounds {
    let hook = Mutex<Hook?>(nil)
    for isHooked in [true, false] {
      let loaded = Mutex<LoadedClient?>(nil)
      let load = { @Sendable in
        let new = LoadedClient(client)
        loaded.withLock { $0 = new }
      }
      let change = { @Sendable in
        if isHooked {
          let new = try addHundred()
          hook.withLock { $0 = new }
        } else {
          hook.withLock { $0 }?.remove()
        }
      }
      // The second begins some time after the first.
      if round % 2 == 0 { atOnce(load, change) } else { atOnce(change, load) }
      let client = loaded.withLock { $0 }
      let result = client?(1)
      if isHooked, result != 102 { lost += 1 }
      if !isHooked, result != 2 { left += 1 }
      client?.close()
    }
  }
  print("hooks lost: \(lost), left behind: \(left)")

  // Calls come through the slots while both go on.
  let wrong = Atomic(0)
  let isOver = Atomic(false)
  atOnce {
    for _ in 0..<rounds * 10 {
      guard let client = LoadedClient(client) else { break }
      if ![2, 102].contains(client(1)) { wrong.add(1, ordering: .relaxed) }
      client.close()
    }
    isOver.store(true, ordering: .relaxed)
  } _: {
    while !isOver.load(ordering: .relaxed) { try addHundred().remove() }
  }
  print("wrong results: \(wrong.load(ordering: .relaxed))")
}

/// Installs and removes hooks of a function beside somebody else who puts code into a slot of it,
/// and takes it out again.
///
/// - Parameters: As above.
/// - Throws: What finding the function throws.
func hookBesideRebinding(_ library: String, _ client: String, rounds: Int) throws {
  guard unsafe dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nil, let loaded = LoadedClient(client),
    let slot = ImportSlot.all(of: "foo", in: .only(client)).first,
    let place = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: slot.address)
  else { return print("no library") }
  let function = unsafe try ImportedFunction("foo", signature: "ii")
  let other: @convention(c) (Int32) -> Int32 = { $0 + 1000 }
  let code = unsafe UInt(bitPattern: unsafeBitCast(other, to: UnsafeRawPointer.self))
  // SAFETY: the slot is a word that the loader is done with, and stays loaded.
  nonisolated(unsafe) let word = unsafe place
  let overwritten = Atomic(0)
  let isOver = Atomic(false)
  atOnce {
    for _ in 0..<rounds { try addHundred(to: function).remove() }
    isOver.store(true, ordering: .relaxed)
  } _: {
    while !isOver.load(ordering: .relaxed) {
      unsafe word.pointee.store(code, ordering: .sequentiallyConsistent)
      sched_yield()
      let last = unsafe word.pointee.exchange(slot.value, ordering: .sequentiallyConsistent)
      if last != code { overwritten.add(1, ordering: .relaxed) }
      sched_yield()
    }
  }
  print("overwritten: \(overwritten.load(ordering: .relaxed)), removed: \(loaded(1))")
}

/// What the resolver in a library runs while the loader is relocating that.
@safe
private enum Resolver {
  /// Where the resolver finds what to call: it cannot use slots of its own yet.
  static let place = UInt(0x5000_0000_0000)

  nonisolated(unsafe) static var client = ""
  nonisolated(unsafe) static var hook: Hook?

  /// Hooks the slots that there are, once.
  static func run() {
    guard unsafe hook == nil else { return }
    let images = unsafe ImageFilter.only(client)
    func states(_ of: (ImportSlot) -> Bool) -> [Bool] {
      ImportSlot.all(of: "foo", in: images).map(of)
    }
    let areBound = states(\.isBound)
    do { unsafe hook = try addHundred() } catch { print(error) }
    print("bound: \(areBound), hooked: \(states(\.isHooked))")
  }
}

/// Hooks a function while the loader is in the middle of an object that calls it.
///
/// - Parameters:
///   - library: Defines `foo`.
///   - client: Calls it, and has a resolver that calls what stands at the resolver's place.
func hookInsideOfLoading(_ library: String, _ client: String) {
  guard unsafe dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nil else { return print("no library") }
  let run: @convention(c) () -> Void = { Resolver.run() }
  let place = unsafe mmap(
    UnsafeMutableRawPointer(bitPattern: Resolver.place), 4096, PROT_READ | PROT_WRITE,
    MAP_PRIVATE | Int32(MAP_ANONYMOUS) | Int32(MAP_FIXED_NOREPLACE), -1, 0)
  guard UInt(bitPattern: place) == Resolver.place else { return print("no place") }
  unsafe place?.storeBytes(of: run, as: (@convention(c) () -> Void).self)
  unsafe Resolver.client = client
  guard let loaded = LoadedClient(client, RTLD_LAZY) else { return print("no client") }
  // Whoever loaded it was not followed when it began.
  let first = loaded(1)
  ImportedFunction.followLoadedObjects()
  let second = loaded(1)
  unsafe Resolver.hook?.remove()
  print("loaded: \(first), followed: \(second), removed: \(loaded(1))")
}
