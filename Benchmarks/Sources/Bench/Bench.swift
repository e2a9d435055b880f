import ArgumentParser
import Glibc
import Measuring

/// The command line.
@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures this library beside C, libffi and others, all in the same run.",
    discussion: """
      Started by Scripts/bench, which builds it and the peers.

      EXIT STATUS
        0   success, missed targets included
        1   an operation gave a wrong result, or takes 3 % more instructions than were accepted
            with these versions; with --strict a missed target too
        64  wrong usage
      """)

  @Flag(help: "Fewer rounds, and no instructions unless asked for.")
  var quick = false

  @Option(help: ArgumentHelp("Writes the rows to a file.", valueName: "file"))
  var json: String?

  @Option(
    help: ArgumentHelp(
      "Measures rows with this in their names, and what they are compared with.", valueName: "name")
  )
  var filter: String?

  @Flag(inversion: .prefixedNo, help: "Counts instructions with callgrind, if valgrind is there.")
  var instructions: Bool?

  @Option(
    help: ArgumentHelp("The file with the accepted counts of instructions.", valueName: "file"))
  var acceptedCounts: String?

  @Flag(help: "Counts instructions, and accepts the counts.")
  var accept = false

  @Flag(help: "Fails if a target is missed.")
  var strict = false

  @Option(help: ArgumentHelp("The directory with the peers' programs.", valueName: "directory"))
  var peerSources: String?

  @Option(
    help: ArgumentHelp("The directory with the peers that were compiled.", valueName: "directory"))
  var peerProducts: String?

  @Option(
    help: ArgumentHelp("Runs one row only, without measuring: for callgrind.", valueName: "row"))
  var measure: String?

  @Option(help: ArgumentHelp("How many operations --measure runs.", valueName: "count"))
  var iterations = 1_000

  @Option(
    help: ArgumentHelp(
      "Prints what a process of its own measures, for Scripts/bench.", valueName: "name"))
  var study: Study?

  func run() throws {
    if let measure { return try runOnce(measure) }
    if let study { return try study.run() }
    let rounds = Rounds(count: quick ? 15 : 45, nanoseconds: 3_000_000)
    let peers = peers(rounds.count)
    let selection = Selection(
      filter, among: Self.rows.map(\.name) + peers.flatMap(\.rows), references: references)
    guard !selection.isEmpty else {
      throw ValidationError("No row has \(filter ?? "") in its name.")
    }

    let rows = Self.rows.filter { selection.includes($0.name) }
    let ours = try rounds.measure(rows, progress: StandardError.progress)
    var report = Report(ours + measure(peers, selection))
    let counted = accept || instructions ?? !quick ? countInstructions(rows, &report) : nil
    StandardError.progress("")

    print(report.table(twins: Targets.libffiTwins, targets: Targets.all), terminator: "")
    if let disturbance = report.disturbance(of: "call.direct") { StandardError.print(disturbance) }
    if let json { try TextFile.write(report.json, to: json) }
    try judge(counted)
    let isMissed = Targets.all.contains { $0.isMet(in: report) == false }
    if strict, isMissed { throw ExitCode.failure }
  }

  private static var rows: [Row] {
    let rows =
      CallRows.all + CallbackRows.all + HookRows.all + TraceRows.all + InterposingRows.all
      + EveryBlockRows.all + DispatchRows.all + ParsingRows.all + LifetimeRows.all + DelayRows.all
      + ObservingRows.all + MessageRows.all + SwiftCallRows.all + PeerRows.all
    #if Macros
    return rows + ForwarderRows.all
    #else
    return rows
    #endif
  }

  private func runOnce(_ name: String) throws {
    guard let row = Self.rows.first(where: { $0.name == name }) else {
      throw ValidationError("There is no row \(name).")
    }
    try Series(row).run(iterations)
  }

  /// The rows that a row is compared with; peers in other processes with the direct call.
  private func references(of name: String) -> [String] {
    let baseline = Self.rows.first { $0.name == name }?.baseline ?? PeerProcess.baseline
    return [baseline] + Targets.references(of: name)
  }

  private func peers(_ rounds: Int) -> [PeerProcess] {
    let studies = Study.allCases.map { $0.process(rounds: quick ? 1 : 5) }
    guard let peerSources, let peerProducts else { return studies }
    return studies
      + PeerProcess.all(sources: peerSources, products: peerProducts, rounds: rounds)
  }

  private func measure(_ peers: [PeerProcess], _ selection: Selection) -> [Measurement] {
    peers.filter { $0.rows.contains(where: selection.includes) }.flatMap { peer in
      StandardError.progress("measuring \(peer.rows.joined(separator: ", "))")
      return peer.measure().filter { selection.includes($0.name) }
    }
  }

  /// Counts the instructions of all rows that can be counted; nil without valgrind.
  private func countInstructions(_ rows: [Row], _ report: inout Report) -> AcceptedCounts? {
    guard InstructionCount.isAvailable else {
      StandardError.print("Instructions are not counted: valgrind is not installed.")
      return nil
    }
    var counted = AcceptedCounts(versions: Versions.current, counts: [:])
    for row in rows {
      StandardError.progress("counting the instructions of \(row.name)")
      counted.counts[row.name] = InstructionCount.of(row)
      report.setInstructions(counted.counts[row.name], of: row.name)
    }
    return counted
  }

  /// Accepts counts, or compares them with those that were accepted.
  private func judge(_ counted: AcceptedCounts?) throws {
    guard let counted, let acceptedCounts else { return }
    var accepted = AcceptedCounts(TextFile.read(acceptedCounts) ?? "")
    if accept {
      accepted.accept(counted)
      return try TextFile.write(accepted.text, to: acceptedCounts)
    }
    let (lines, isFailure) = accepted.compare(counted)
    for line in lines { StandardError.print(line) }
    if isFailure {
      StandardError.print("If this is meant to be, accept it: Scripts/bench --accept")
      throw ExitCode.failure
    }
  }
}
