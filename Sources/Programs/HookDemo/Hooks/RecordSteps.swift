import BlockRuntime
import CallRecording
import CallTracing
import Foundation

extension HookDemonstration {
  /// Calls that are written down: as records of a trace, and in a file that can be replayed.
  static let recordSteps = [
    TourStep(
      "trace", "Calls become records: who, when, how long, with what",
      code: "try block.install(.tracing(with: Tracer(TraceBuffer())))"
    ) { exhibits, log in
      let buffer = TraceBuffer()
      let text = TextTraceSink(
        TraceOutput { lines in
          for line in lines.split(separator: "\n") { log.say(String(line)) }
        })
      let tracer = Tracer([buffer, text])
      // One block calls another, so that there is something to indent.
      let nesting = try exhibits.scaling.hook { call in
        try call.setResult(exhibits.add(call.argument(1), 0.5) + 1)
      }
      let traces = try [exhibits.addBlock, exhibits.scaling].map {
        try $0.install(.tracing(with: tracer))
      }
      defer { for hook in traces + [nesting] { hook.remove() } }
      log.check("C calls scale(20)", Exhibits.callScaling(exhibits.scaling, 20), is: 21)
      log.check("add(3, 4.5)", exhibits.add(3, 4.5), is: 7)
      tracer.close()
      let records = buffer.records
      log.check("depths", records.map(\.depth), is: [1, 0, 0])
      log.check("arguments", records.first?.arguments, is: ["i32 20", "double 0.5"])
      log.check("results", records.map { $0.result ?? "none" }, is: ["i32 20", "i32 21", "i32 7"])
      log.check("records that were lost", tracer.counts.dropped, is: 0)
      log.check("blocks that are counted", buffer.statistics.count, is: 2)
    },
    TourStep(
      "record", "Calls are written to a file, made again and compared",
      code: "try Recording(path: file).replay(on: block)"
    ) { exhibits, log in
      let directory = FileManager.default.temporaryDirectory
      let file = directory.appendingPathComponent("hook-demo-\(UUID().uuidString).calls")
      defer { try? FileManager.default.removeItem(at: file) }
      let recorder = try CallRecorder(path: file.path)
      let hook = try exhibits.addBlock.install(.recording(to: recorder))
      for number in 0..<Int32(3) { _ = exhibits.add(number, 4.5) }
      hook.remove()
      try recorder.close()
      let recording = try Recording(path: file.path)
      for call in recording.calls { log.say("\(call)") }
      let same = try recording.replay(on: exhibits.addBlock)
      log.check("replayed on the same block, every call matches", same.isClean)
      let changed = try exhibits.addBlock.hook(
        .after, when: .where { try $0.argument(1, as: Int32.self) == 1 }
      ) { call in try call.setResult(call.result(as: Int32.self) + 100) }
      defer { changed.remove() }
      let other = try recording.replay(on: exhibits.addBlock)
      log.check("on one that behaves otherwise: calls that differ", other.differences.count, is: 1)
      for line in other.description.split(separator: "\n") { log.say(String(line)) }
    },
  ]
}
