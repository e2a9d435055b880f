// `import BlockRuntime` imports these modules. The other products are imported by name: what they
// add is not needed by most programs.
@_exported import BlockABI
@_exported import BlockHooks
@_exported import BlockRuntimeErrors
@_exported import CodeSymbols
@_exported import DelayedBlocks
@_exported import Invocations
@_exported import IsolatedClosures
@_exported import KeyValueObserving
@_exported import MessageForwarding
@_exported import ObjectLifetimes
@_exported import TypeEncodings
