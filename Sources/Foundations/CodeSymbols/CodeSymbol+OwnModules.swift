extension CodeSymbol {
  /// The library's own modules in Swift: those that a program may contain.
  package static let ownModules = [
    "BlockRuntimeErrors", "CodeSymbols", "SourceLocations", "TypeEncodings", "BlockABI",
    "ObjectLifetimes", "LoadedClasses", "BlockRuntimeThreads", "BlockRuntimeSuggestions",
    "IsolatedClosures",
    "Invocations", "DelayedBlocks", "KeyValueObserving", "ObservationBridge", "BlockHooks",
    "CallTracing", "CallRecording", "CallMemoization", "CallExpectations", "MemoDatabases",
    "MessageForwarding", "MessageMacros", "BlockRuntime", "SymbolInterposing", "QueueTracing",
    "RetainCycles", "HotReload", "InvocationOperations", "TraceLogging", "TraceSpans",
    "TraceMetrics", "TracerStart", "StaticTracing", "BlockTracer",
  ]

  /// Whether the function belongs to this library: to one of its modules, or to its assembly.
  package var isOwn: Bool {
    guard let mangledName else { return false }
    return Self.ownPrefixes.contains { mangledName.hasPrefix($0) }
  }

  /// How the symbols of the library's functions begin.
  package static let ownPrefixes =
    ownModules.map { "$s\($0.utf8.count)\($0)" } + ["cbr_"]
}
