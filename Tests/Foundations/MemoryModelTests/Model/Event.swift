/// How a load or store is ordered, in the words of the Arm architecture.
enum Order {
  /// `ldr`, `str`.
  case plain
  /// `ldapr`: an acquire load that may overtake an earlier release store, as C compiles it where
  /// the processor has the instruction.
  case acquirePC
  /// `ldar`.
  case acquire
  /// `stlr`.
  case release
}

/// One access to memory, or a barrier, of a program's thread.
struct Event {
  enum Kind: Equatable {
    case load(expected: Int?)
    case store(Int)
    /// `dmb ish`.
    case fence
    /// `dmb ishst`.
    case storeFence
    /// membarrier(2), private and expedited.
    case membarrier
  }

  var kind: Kind
  var location = ""
  var order = Order.plain
  /// The thread; nil for the stores that initialise memory.
  var thread: Int?
  /// The load of the same read-modify-write, for its store.
  var exchanged: Int?
  /// The loads whose values this access needs for its address or for what it stores.
  var dependsOn: [Int] = []
  /// The loads whose values decide whether it is executed.
  var isConditionalOn: [Int] = []

  var isLoad: Bool { if case .load = kind { true } else { false } }
  var isStore: Bool { if case .store = kind { true } else { false } }
  var stored: Int? { if case .store(let value) = kind { value } else { nil } }
}
