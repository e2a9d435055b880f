import BlockRuntime
import Measuring

/// The ends of objects, and the values that belong to them.
enum LifetimeRows {
  static var all: [Row] {
    [
      row("lifetime.unwatched") {
        { makeUnwatched().one }
      },
      row("lifetime.watchedClass") {
        try onDeinit(of: makeWatched()) {}
        return { makeWatched().one }
      },
      row("lifetime.hook") {
        {
          let object = makeWatched()
          try onDeinit(of: object) {}
          return object.one
        }
      },
      row("association.set") {
        let key = AssociationKey<Int>("set")
        let owner = makeWatched()
        return {
          try key.set(1, on: owner)
          return 1
        }
      },
      row("association.get") {
        let key = AssociationKey<Int>("get")
        let owner = makeWatched()
        try key.set(1, on: owner)
        return { key.value(of: owner) ?? 0 }
      },
      row("association.getNothing") {
        let key = AssociationKey<Int>("get")
        let owner = makeWatched()
        return { key.value(of: owner) ?? 1 }
      },
      row("association.owner") {
        let key = AssociationKey<Int>("owner")
        return {
          let owner = makeWatched()
          try key.set(1, on: owner)
          return owner.one
        }
      },
    ]
  }

  private static func row(_ name: String, _ prepare: @escaping () throws -> () throws -> Int) -> Row
  {
    Row(name, baseline: "call.direct", expected: Sums.count) {
      let operation = try prepare()
      return { iterations in
        var sum = 0
        for _ in 0..<iterations { sum += try operation() }
        return sum
      }
    }
  }
}

private final class Unwatched {
  let one = 1
}

private final class Watched {
  let one = 1
}

// Not inlined, as the objects would not be made at all.
@inline(never) private func makeUnwatched() -> Unwatched { Unwatched() }
@inline(never) private func makeWatched() -> Watched { Watched() }
