// Type encodings read, laid out, compared, and made of Swift types.
import BlockRuntime

/// A table of a signature's arguments, hidden ones included.
func explain(_ text: String) {
  do {
    let signature = try MethodSignature(parsing: text)
    print("\(text): a \(signature.form) that returns \(signature.result.kind)")
    for (index, argument) in signature.arguments.enumerated() {
      let layout = try signature.argumentLayout(at: index)
      print("  \(index) \(argument.encoding): \(argument.encoding.kind), \(layout.size) bytes")
    }
  } catch {
    print(error)
  }
}

explain("i20@?0i8d12")
explain("v@:@\"Page\"{Point=\"x\"d\"y\"d}")
explain("ddd")
explain("v@?{Point=d")

// Layouts are those of the C compiler.
let record = try TypeEncoding(parsing: "{Record=\"tag\"c\"value\"d\"flags\"[3S]}").layout()
print("record: \(record.size) bytes, aligned to \(record.alignment)")
print("  fields at", record.fields.map(\.offset))

// Swift types have encodings, if C lays them out alike.
struct Reading {
  var sensor: Int32
  var value: Double
}
print("Reading:", try TypeEncoding(of: Reading.self))
do { _ = try TypeEncoding(of: String.self) } catch { print(error) }

// What differs, and does not matter: offsets, names, qualifiers.
let offered = try MethodSignature(parsing: "v@?i{Point=dd}")
for wanted in ["v24@?0i8{Point=\"x\"d\"y\"d}16", "v@?I{Point=dd}", "v@?i"] {
  let differences = offered.differences(from: try MethodSignature(parsing: wanted))
  print(wanted, differences.isEmpty ? "fits" : "differs:", terminator: "")
  print(differences.map { " \($0)" }.joined(separator: ";"))
}
