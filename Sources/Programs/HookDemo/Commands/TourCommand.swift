#if Everything
import ArgumentParser
import CommandOptionsAndResults

/// `hook-demo tour`: hooks real blocks and checks every step.
struct TourCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tour",
    abstract: "Hooks real blocks of Swift, C and libdispatch, and checks every step.",
    discussion: """
      The blocks are described by their type-encoded signatures, called, and hooked: to print \
      "Hello world" instead of running, to print their arguments and then run, to get other \
      arguments and give another result. At the end every block is as it was. A step that does not \
      behave is marked, and the exit status is 1.

      EXAMPLES
        hook-demo                     the same as hook-demo tour
        hook-demo tour --json         {"steps":[{"name","ok","log":[…]}],"ok":true}
        hook-demo tour --engine libffi
        NO_COLOR=1 hook-demo tour     without colour, also on a terminal
      """)

  @OptionGroup var engine: EngineOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    engine.choose()
    let exhibits = try output.reporting(Exhibits.collected)
    try output.show(
      TourStep.tour, of: exhibits, title: "BlockRuntime: real blocks, read, called and hooked")
  }
}
#endif
