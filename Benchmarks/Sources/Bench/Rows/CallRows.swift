import BlockRuntime
import CBaselines
import Measuring

// SAFETY, for the whole file: functions and blocks have the signatures that they are called by.

/// Calls of `int32_t (int32_t, double)`, and of functions that take and return vectors and a structure.
enum CallRows {
  static var all: [Row] { plain + vectors + structures }

  private static var plain: [Row] {
    [
      .callingFunction("call.direct") { try unsafe AddCode(cbl_add_address()) },
      row("call.libffi") {
        let add = try unsafe AddCode(cbl_add_address())
        return { add.sum(callingByLibffi: $0) }
      },
      row("call.invocation") {
        let invocation = Invocation(try CFunction.add())
        try invocation.setArgument(0, 0)
        try invocation.setArgument(1, 0)
        let call = try invocation.prepared()
        let first = try call.argument(0, as: Int32.self)
        let second = try call.argument(1, as: Double.self)
        let result = try call.result(as: Int32.self)
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            first.value = firstArgument(index)
            second.value = Sums.second
            call()
            sum += Int(result.value)
          }
          return sum
        }
      },
      row("call.invocation.checked") {
        let invocation = Invocation(try CFunction.add())
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            try invocation.setArgument(0, firstArgument(index))
            try invocation.setArgument(1, Sums.second)
            try invocation.invoke()
            sum += Int(try invocation.result(as: Int32.self))
          }
          return sum
        }
      },
      row("call.function") {
        let add = try CFunction.add()
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            sum += Int(try add(firstArgument(index), Sums.second, returning: Int32.self))
          }
          return sum
        }
      },
      row("call.block") {
        let add = try AddBlock().block
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            sum += Int(try add.call(firstArgument(index), Sums.second, returning: Int32.self))
          }
          return sum
        }
      },
      row("call.typed") {
        let add = try CFunction.add().value(as: (@convention(c) (Int32, Double) -> Int32).self)
        return { iterations in
          var sum = 0
          for index in 0..<iterations { sum += Int(add(firstArgument(index), Sums.second)) }
          return sum
        }
      },
      row("call.boxed") {
        let add = try CFunction.add()
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            let arguments: [CValue] = [
              .integer(Int128(firstArgument(index))), .double(Sums.second),
            ]
            if case .integer(let result) = try add.call(values: arguments) { sum += Int(result) }
          }
          return sum
        }
      },
    ]
  }

  private static var vectors: [Row] {
    func row(_ name: String, _ prepare: @escaping () throws -> Row.Operation) -> Row {
      Row(name, baseline: "call.simd.direct", expected: Sums.add, prepare: prepare)
    }
    func add4() throws -> CFunction {
      unsafe try CFunction(
        unsafeAddress: required(cbl_add4_address()), signature: "![16,16f]![16,16f]![16,16f]")
    }
    let second = SIMD4(repeating: Float(Sums.second))
    return [
      row("call.simd.direct") {
        let add = unsafe try required(cbl_add4_address())
        return { Int(unsafe cbl_call_add4(add, Int64($0))) }
      },
      row("call.simd") {
        let invocation = Invocation(try add4())
        try invocation.setArgument(0, second)
        try invocation.setArgument(1, second)
        let call = try invocation.prepared()
        let first = try call.argument(0, as: SIMD4<Float>.self)
        let result = try call.result(as: SIMD4<Float>.self)
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            first.value = SIMD4(repeating: Float(firstArgument(index)))
            call()
            sum += Int(result.value.x)
          }
          return sum
        }
      },
      row("call.simd.function") {
        let add = try add4()
        return { iterations in
          var sum = 0
          for index in 0..<iterations {
            let first = SIMD4(repeating: Float(firstArgument(index)))
            sum += Int(try add(first, second, returning: SIMD4<Float>.self).x)
          }
          return sum
        }
      },
    ]
  }

  private static var structures: [Row] {
    [
      structureRow("call.struct.direct") {
        let shift = unsafe try required(cbl_shift_address())
        return { Int(unsafe cbl_call_shift(shift, Int64($0))) }
      },
      structureRow("call.struct.libffi") {
        let shift = unsafe try required(cbl_shift_address())
        return { Int(unsafe cbl_ffi_call_shift(shift, Int64($0))) }
      },
      structureRow("call.struct.invocation") {
        let invocation = Invocation(try CFunction.shift())
        let pair = CBLPair(x: CBL_PAIR_X, y: CBL_PAIR_Y)
        let text = StaticString("a")
        let address = unsafe UnsafeRawPointer(text.utf8Start)
        try invocation.setArgument(0, pair)
        try unsafe invocation.setArgument(1, address)
        try invocation.setArgument(2, 0)
        let call = try invocation.prepared()
        let first = try call.argument(0, as: CBLPair.self)
        let second = unsafe try call.argument(1, as: UnsafeRawPointer.self)
        let third = try call.argument(2, as: Int8.self)
        let result = try call.result(as: CBLPair.self)
        return { iterations in
          var sum = 0.0
          for index in 0..<iterations {
            first.value = pair
            unsafe second.value = unsafe address
            third.value = cbl_step_argument(Int64(index))
            call()
            let shifted = result.value
            sum += shifted.x + shifted.y
          }
          return Int(sum)
        }
      },
    ]
  }

  private static func row(
    _ name: String, _ prepare: @escaping () throws -> Row.Operation
  ) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.add, prepare: prepare)
  }

  private static func structureRow(
    _ name: String, _ prepare: @escaping () throws -> Row.Operation
  ) -> Row {
    Row(name, baseline: "call.struct.direct", expected: Sums.shift, prepare: prepare)
  }
}
