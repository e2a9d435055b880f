// C functions and blocks that are known only when the program runs: by name and type encoding.
import BlockRuntime

// SAFETY, for the whole file: the signatures are those of the C library's headers.

// A table of functions, as a configuration or a script has them.
let table = [
  ("pow", "ddd", ["2", "10"]), ("hypot", "ddd", ["3", "4"]), ("abs", "ii", ["-5"]),
  ("strlen", "Qr*", ["blocks"]), ("toupper", "ii", ["98"]), ("abs", "ii", ["five"]),
  ("abs", "ii", ["1", "2"]),
]

/// What a word stands for: the signature decides which of these fit.
func value(_ word: String) -> CValue {
  if let integer = Int128(word) { return .integer(integer) }
  return Double(word).map(CValue.double) ?? .cString(word)
}

for (name, signature, words) in table {
  do {
    let function = try unsafe CFunction(symbol: name, library: "libm.so.6", signature: signature)
    let invocation = Invocation(function)
    for (index, word) in words.enumerated() {
      try invocation.setArgumentValue(index, value(word))
    }
    try invocation.invoke()
    print("\(name)(\(words.joined(separator: ", "))) =", try invocation.resultValue())
  } catch {
    print("\(name):", error)
  }
}

// Checked once, called often: the arguments are written where the call reads them.
let power = try Invocation(unsafe CFunction(symbol: "pow", library: "libm.so.6", signature: "ddd"))
try power.setArgument(0, 2.0)
try power.setArgument(1, 0.0)
let call = try power.prepared()
let (exponent, result) = (
  try call.argument(1, as: Double.self), try call.result(as: Double.self)
)
var powers: [Double] = []
for number in 1...8 {
  exponent.value = Double(number)
  call()
  powers.append(result.value)
}
print("powers of two:", powers)

// A variadic function takes the encoding of what is passed, and how many arguments are declared.
let format = try unsafe CFunction(symbol: "snprintf", signature: "i*Qr*id", fixedArgumentCount: 3)
let nowhere = unsafe UnsafeMutablePointer<CChar>?.none
let length = unsafe try format(
  nowhere, UInt(0), "%d blocks, %.1f calls each", 3, 2.5, returning: Int32.self)
print("formatted:", length, "bytes")
