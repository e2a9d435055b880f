/// Distinct values, numbered from zero in the order of their first occurrence.
struct NumberedValues<Value: Hashable> {
  private(set) var values: [Value] = []
  private var numbers: [Value: Int32] = [:]

  /// The number of a value, and whether the value is new.
  mutating func number(of value: Value) -> (number: Int32, isNew: Bool) {
    if let number = numbers[value] { return (number, false) }
    let number = Int32(clamping: values.count)
    numbers[value] = number
    values.append(value)
    return (number, true)
  }
}
