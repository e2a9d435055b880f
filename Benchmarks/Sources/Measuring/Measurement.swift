/// What came out for one row.
package struct Measurement {
  /// The row's name.
  package let name: String

  /// The name of the row whose time the ratio divides by.
  package let baseline: String

  /// The median time of an operation; nil where it could not be measured.
  package var nanoseconds: Double?

  /// The shortest time of an operation; far below the median if the machine was busy.
  package var fastest: Double?

  /// The instructions of an operation, where they are counted.
  package var instructions: Double?

  /// What an operation keeps in memory, for rows that are no time.
  package var bytes: Double?

  /// Why the row could not be measured.
  package var absence: String?

  /// A mark before the time if the series differ by more than a third.
  var unsteadiness: String {
    guard let nanoseconds, let fastest else { return "" }
    return nanoseconds > fastest * 4 / 3 ? "~" : ""
  }

  /// Describes a result.
  package init(
    _ name: String, baseline: String, nanoseconds: Double? = nil, fastest: Double? = nil,
    instructions: Double? = nil, bytes: Double? = nil, absence: String? = nil
  ) {
    self.name = name
    self.baseline = baseline
    self.nanoseconds = nanoseconds
    self.fastest = fastest
    self.instructions = instructions
    self.bytes = bytes
    self.absence = absence
  }
}

/// What came out of one run, in the order of the rows.
package struct Report {
  /// One result a row.
  package private(set) var measurements: [Measurement]

  /// Collects results.
  package init(_ measurements: [Measurement]) { self.measurements = measurements }

  /// Notes the instructions of a row's operation.
  package mutating func setInstructions(_ instructions: Double?, of name: String) {
    guard let index = measurements.firstIndex(where: { $0.name == name }) else { return }
    measurements[index].instructions = instructions
  }

  /// How many times as long one row takes as another; nil if one of them was not measured.
  package func ratio(of name: String, to other: String) -> Double? {
    guard let time = nanoseconds(name), let otherTime = nanoseconds(other), otherTime > 0
    else { return nil }
    return time / otherTime
  }

  /// What to tell if a row's median is far from its shortest time: then the ratios are doubtful too.
  package func disturbance(of name: String) -> String? {
    guard let row = measurements.first(where: { $0.name == name }), let median = row.nanoseconds,
      let fastest = row.fastest, median > fastest * 1.2
    else { return nil }
    return "The machine is busy: \(name) takes \(median.significant) ns in the median, "
      + "\(fastest.significant) at best. What uses more of the processor suffers more."
  }

  /// The instructions of a row's operation; nil if they were not counted.
  package func instructions(of name: String) -> Double? {
    measurements.first { $0.name == name }?.instructions
  }

  /// What a row's operation keeps in memory; nil if it was not measured.
  package func bytes(of name: String) -> Double? {
    measurements.first { $0.name == name }?.bytes
  }

  private func nanoseconds(_ name: String) -> Double? {
    measurements.first { $0.name == name }?.nanoseconds
  }
}
