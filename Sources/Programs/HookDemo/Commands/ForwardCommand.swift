#if Everything
import ArgumentParser
import CommandOptionsAndResults
import DemoScenes

/// `hook-demo forward`: messages to several targets, to a dynamic delegate, and to hooked methods.
struct ForwardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forward",
    abstract: "Sends messages to proxies, a dynamic delegate and hooked methods.",
    discussion: """
      A crew is a proxy of several targets: each message reaches those that answer it, in order, and \
      a policy makes one answer of all. A delegate is made of blocks, which are compared with the \
      protocol; a method is hooked, for its class and for one object. If a message reaches anybody \
      else, or is answered otherwise, that is marked, and the exit status is 1.

      EXAMPLES
        hook-demo forward
        hook-demo forward --json
          {"steps":[{"chapter","step","told":[…],"answer"}],"ok":true}
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    try output.show(Scene.messages, "steps") { outcome in
      .object([
        ("chapter", .string(outcome.chapter)), ("step", .string(outcome.code)),
        ("told", .array(outcome.told.map { .string($0.name) })),
        ("answer", .string(outcome.answer)),
      ])
    } summary: { steps, _ in
      "\(steps) steps: each message reached whom it was to reach, in order"
    }
  }
}
#endif
