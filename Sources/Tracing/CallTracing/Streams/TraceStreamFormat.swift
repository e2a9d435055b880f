/// The format of the records of a trace stream; writer and reader are always of one version.
///
/// A body is a head followed by the fields of its kind: integers in the processor's byte order, and
/// texts preceded by their length in bytes. Numbers of code, queues and callers are taken from one
/// series; 0 stands for none.
enum TraceStreamFormat {
  /// The kinds of record.
  enum Kind: UInt8 {
    /// Code that is called: number, address, that in its file, build ID of the file, hidden
    /// arguments, limit of a value's text, name, path of the file, signature (none for code that is
    /// traced without values).
    case code = 1
    /// A thread that appends for the first time: its name.
    case thread
    /// A call begins: code, start, the dispatched block, callers, arguments as words or as texts.
    case begin
    /// A call ends: place of its begin, time, result as words or as text, error.
    case end
    /// The reason why nothing in the program can be traced: code, message.
    case refusal
    /// After a refusal, the program can be traced now.
    case acceptance
    /// A queue: number, target, quality of service, kind, address, label; again if it got another
    /// target: number, target.
    case queue
    /// A function that submits blocks, or calls functions: number, address, that in its file, build
    /// ID of the file, name, path of the file.
    case caller
    /// A block is sent to a queue: its key, code address, the block around it, queue, gaps, time,
    /// calls, way, the sender's queue and task, callers; of a Swift task its number, parent and
    /// flags.
    case submission
    /// A block that was sent to a queue will not run: its key, the block around it, time.
    case cancellation
    /// A Swift task is created: number, parent, flags, address of its code, callers.
    case task
    /// A Swift task has a name: number, name.
    case taskName
    /// A type of actors: number, name.
    case actorType
    /// The thread goes on with a Swift task on an actor: the task's number, the actor's address (0
    /// for none) and the number of its type, time.
    case actor
    /// What a Swift task waits for whose part ends next: its number, the actor on which it goes on,
    /// the number of the task that it awaits, the functions in which it is suspended.
    case taskWait
    /// A Swift task's continuation is resumed: its number, that of the task which resumes it, time,
    /// callers.
    case resumption
  }

  /// The optional fields of a record.
  ///
  /// No `OptionSet`: without optimisation, functions of that allocate memory.
  struct Parts {
    let rawValue: UInt16

    func contains(_ part: Parts) -> Bool { rawValue & part.rawValue != 0 }

    /// These parts and, if that is there, another.
    func with(_ part: Parts, if isThere: Bool = true) -> Parts {
      isThere ? Parts(rawValue: rawValue | part.rawValue) : self
    }

    static let none = Parts(rawValue: 0)
    /// Arguments or result as copied words.
    static let words = Parts(rawValue: 1)
    /// Arguments or result as rendered text.
    static let texts = Parts(rawValue: 2)
    /// The error that the traced hook threw.
    static let error = Parts(rawValue: 4)
    /// The call proceeded from the traced hook to the inner ones.
    static let hasProceeded = Parts(rawValue: 8)
    /// The name of code.
    static let name = Parts(rawValue: 16)
    /// The image of code.
    static let image = Parts(rawValue: 32)
    /// The program was ended before it began.
    static let isEnd = Parts(rawValue: 64)
    /// The queue of a call, the key of the called block, and the gaps.
    static let dispatched = Parts(rawValue: 128)
    /// Calls of the code wait for something.
    static let isWait = Parts(rawValue: 256)
    /// The code is that of Swift tasks.
    static let isTask = Parts(rawValue: 512)
    /// Why a task ends to run.
    static let suspension = Parts(rawValue: 1024)
    /// The queue was described before, and only its target is told.
    static let isRetargeted = Parts(rawValue: 2048)
    /// The signature of code.
    static let signature = Parts(rawValue: 4096)
    /// The callers of a call.
    static let callers = Parts(rawValue: 8192)
    /// The name of a caller is a symbol as the linker has it.
    static let isSymbol = Parts(rawValue: 16384)
    /// The queue was just created: what was at its address before is another one.
    static let isCreated = Parts(rawValue: 32768)
  }

  /// The beginning of every body.
  struct Head {
    static let size = 16

    let kind: Kind
    let parts: Parts
    let depth: Int32
    let process: Int32
    let thread: Int32
  }
}
