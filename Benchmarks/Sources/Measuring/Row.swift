/// One thing to measure: an operation that is run many times.
package struct Row {
  /// Runs the operation a number of times and returns the sum of its results.
  package typealias Operation = (_ iterations: Int) throws -> Int

  /// The row's name, such as `call.direct`.
  package let name: String

  /// The name of the row whose time the ratio divides by.
  package let baseline: String

  /// The most operations that a series may run, for those that leave something behind.
  package let maximumIterations: Int

  /// How many operations each series runs, where other threads take part; nil where its time decides.
  ///
  /// A series of few operations would measure how long a thread takes to wake up. Nor can instructions
  /// be counted there.
  package let fixedIterations: Int?

  /// The function of C in which instructions are counted, those that it calls included, on its thread only;
  /// all of the process's are counted if it is nil.
  package let countedFunction: String?

  /// The sum that so many operations must give.
  package let expected: (_ iterations: Int) -> Int

  /// Puts in place what other rows must not meet, before each series of this one.
  ///
  /// What it returns takes that away, and may check what the series left behind. Neither is measured.
  package let begin: () throws -> () throws -> Void

  /// Makes what the operation needs; not measured.
  package let prepare: () throws -> Operation

  /// Describes a row.
  package init(
    _ name: String, baseline: String, maximumIterations: Int = 1_000_000_000,
    fixedIterations: Int? = nil, countedFunction: String? = nil,
    expected: @escaping (_ iterations: Int) -> Int,
    during begin: @escaping () throws -> () throws -> Void = { {} },
    prepare: @escaping () throws -> Operation
  ) {
    self.name = name
    self.baseline = baseline
    self.maximumIterations = maximumIterations
    self.fixedIterations = fixedIterations
    self.countedFunction = countedFunction
    self.expected = expected
    self.begin = begin
    self.prepare = prepare
  }
}

/// A row whose operations gave something else than they must.
package struct WrongResult: Error, CustomStringConvertible {
  /// What was measured, and what came out.
  package let description: String

  init(_ row: Row, _ iterations: Int, _ sum: Int) {
    description =
      "\(row.name): \(iterations) operations sum up to \(sum) instead of \(row.expected(iterations))"
  }
}
