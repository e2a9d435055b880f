// Swift's own methods hooked, an experiment: no method table, no change to the class.
import BlockRuntime
import ExperimentalSwiftMethods

// SAFETY, for the whole file: no method here is consuming.

/// What is `open` may be overridden elsewhere, so that its calls go through the class's table.
open class Page {
  open var zoom = 1.0
  open func didLoad(count: Int, from host: Host) -> Double { Double(count) * zoom }
  open func isReady() throws -> Bool { true }
  open func title() -> String { "a page" }
}

open class Gallery: Page {}

open class Host {}

// The table says what can be hooked, and why other methods cannot.
let pageClass = try SwiftClass(Page.self)
for method in pageClass.methods where method.name.contains("(") {
  print(method.name, method.signature?.description ?? method.refusal?.code.rawValue ?? "")
}

let pages = [Page(), Gallery()]
@MainActor func load() {
  print(pages.map { $0.didLoad(count: 3, from: Host()) })
}
load()

// Before: argument 0 is the receiver, 1 the first parameter. Subclasses inherit the hook.
let trace = unsafe try pageClass.target("didLoad(count:from:)").hook(.before) { call in
  let page = try call.argument(0, as: Page.self)
  print("  \(type(of: page)) loads", try call.argument(1, as: Int.self))
}
load()

// Instead, for one class only, outside of what it inherits.
let double = unsafe try SwiftClass(Gallery.self).target("didLoad(count:from:)").hook { call in
  try call.setArgument(1, 10)
  try call.proceed()
  try call.setResult(-call.result(as: Double.self))
}
load()
trace.remove()
double.remove()
load()

// Accessors of stored properties are methods of the table, too.
let lens = unsafe try pageClass.target("zoom.getter").hook(.after) { try $0.setResult(2.0) }
load()
lens.remove()

do {
  unsafe try pageClass.target("title()").hook { _ in }
} catch {
  print(error.code.rawValue)
}
