/// Distinct values, numbered from zero in the order of their first occurrence.
struct NumberedValues<Value: Hashable> {
  private(set) var values: [Value] = []
  private var numbers: [Value: Int] = [:]

  /// The number of a value, and whether the value is new.
  mutating func number(of value: Value) -> (number: Int, isNew: Bool) {
    if let number = numbers[value] { return (number, false) }
    let number = values.count
    numbers[value] = number
    values.append(value)
    return (number, true)
  }
}
