@_exported import BlockABI
@_exported import BlockHooks
@_exported import DelayedBlocks
@_exported import Invocations
@_exported import KeyValueObserving
@_exported import MessageForwarding
@_exported import ObjectLifetimes
@_exported import TypeEncodings
