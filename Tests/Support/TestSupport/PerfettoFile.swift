private import Foundation

/// A trace in Perfetto's format, as a reader of it sees the trace: written from the format's public
/// description, and not from what writes it here.
public struct PerfettoFile {
  /// A call, or an instant, of a thread.
  public struct Slice: Hashable {
    /// Its thread.
    public var thread: Int
    /// What the viewer shows.
    public var name: String
    /// The function that it is in.
    public var function: String?
    /// When it began, in nanoseconds.
    public var start: UInt64
    /// Nil of an instant.
    public var duration: UInt64?
    /// How many slices are around it.
    public var depth: Int
    /// Its annotations that are texts.
    public var texts: [String: String]
    /// Its annotations that are numbers.
    public var numbers: [String: UInt64]
    /// Its category.
    public var category: String?

    /// Creates a slice.
    public init(
      thread: Int, name: String, function: String?, start: UInt64, duration: UInt64? = nil,
      depth: Int, texts: [String: String], numbers: [String: UInt64], category: String? = nil
    ) {
      self.thread = thread
      self.name = name
      self.function = function
      self.start = start
      self.duration = duration
      self.depth = depth
      self.texts = texts
      self.numbers = numbers
      self.category = category
    }
  }

  struct Damaged: Error { let reason: String }

  /// All slices, in the order of time.
  public private(set) var slices: [Slice] = []

  /// The slices that each flow begins and ends at.
  public private(set) var flows: [UInt64: (from: Slice, to: Slice)] = [:]
  /// The last name of each thread.
  public private(set) var threadNames: [Int: String] = [:]
  /// The last name of each process.
  public private(set) var processNames: [Int: String] = [:]

  /// What the wall clock said at times of the trace.
  public private(set) var wallClock: [(time: UInt64, unix: UInt64)] = []

  /// The number of packets.
  public private(set) var packetCount = 0

  fileprivate struct Sequence {
    var time: UInt64 = 0
    var track: UInt64 = 0
    var names: [UInt64: String] = [:]
    var functions: [UInt64: String] = [:]
    var annotationNames: [UInt64: String] = [:]
    var texts: [UInt64: String] = [:]
    var categories: [UInt64: String] = [:]
  }

  private struct Event {
    let time: UInt64
    let thread: Int
    let type: UInt64
    let slice: Slice
    let beginsFlow: UInt64?
    let endsFlow: UInt64?
  }

  /// Reads a trace, and plays its events in the order of time, as a viewer does.
  public init(path: String) throws {
    try self.init([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
  }

  private init(_ bytes: [UInt8]) throws {
    var sequences: [UInt64: Sequence] = [:]
    var threads: [UInt64: Int] = [:]
    var events: [Event] = []
    var snapshot: UInt64 = 0
    for (field, packet) in try ProtobufMessage(bytes).messages {
      guard field == 1 else { throw Damaged(reason: "a field \(field) outside of packets") }
      packetCount += 1
      if let track = try packet.message(60) {
        let number = track.number(1) ?? 0
        if let process = try track.message(3) {
          processNames[Int(truncatingIfNeeded: process.number(1) ?? 0)] = process.text(6)
        }
        if let thread = try track.message(4) {
          let own = Int(truncatingIfNeeded: thread.number(2) ?? 0)
          threads[number] = own
          if let name = thread.text(5) { threadNames[own] = name }
        }
        continue
      }
      guard let sequenceNumber = packet.number(10) else {
        throw Damaged(reason: "a packet without a sequence")
      }
      if (packet.number(13) ?? 0) & 1 != 0 { sequences[sequenceNumber] = Sequence() }
      guard var sequence = sequences[sequenceNumber] else {
        throw Damaged(reason: "a sequence without a beginning")
      }
      defer { sequences[sequenceNumber] = sequence }
      for clock in try packet.message(6)?.all(1) ?? [] where clock.number(1) == 64 {
        guard clock.number(3) == 1 else { throw Damaged(reason: "a clock that is no counter") }
        sequence.time = clock.number(2) ?? 0
      }
      let clocks = try packet.message(6)?.all(1) ?? []
      if let wall = clocks.first(where: { $0.number(1) == 1 })?.number(2),
        let time = clocks.first(where: { $0.number(1) == 6 })?.number(2)
      {
        wallClock.append((time, wall))
      }
      if let time = clocks.first(where: { $0.number(1) == 6 })?.number(2) {
        // A viewer takes no clock from such a snapshot, and shows no event of its sequence.
        guard time >= snapshot else { throw Damaged(reason: "a trace clock that goes back") }
        snapshot = time
      }
      if let track = try packet.message(59)?.message(11)?.number(11) { sequence.track = track }
      if let data = try packet.message(12) { try sequence.add(data) }
      guard let event = try packet.message(11) else { continue }
      var time = packet.number(8) ?? 0
      if packet.number(58) != 6 {
        sequence.time &+= time
        time = sequence.time
      }
      guard let thread = threads[sequence.track] else {
        throw Damaged(reason: "an event of a track that was not described")
      }
      events.append(
        Event(
          time: time, thread: thread, type: event.number(9) ?? 0,
          slice: try sequence.slice(event, time, thread), beginsFlow: event.number(36),
          endsFlow: event.number(42)))
    }
    try play(events)
  }

  private mutating func play(_ events: [Event]) throws {
    var open: [Int: [Int]] = [:]
    var origins: [UInt64: Slice] = [:]
    let inOrder = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
    for event in inOrder.map({ events[$0] }) {
      if event.type == 2 {
        guard let index = open[event.thread]?.popLast() else {
          throw Damaged(reason: "an end without a beginning")
        }
        slices[index].duration = event.time - slices[index].start
        continue
      }
      var slice = event.slice
      slice.depth = open[event.thread]?.count ?? 0
      if event.type == 1 { open[event.thread, default: []].append(slices.count) }
      slices.append(slice)
      if let flow = event.beginsFlow { origins[flow] = slice }
      if let flow = event.endsFlow {
        guard let origin = origins[flow] else { throw Damaged(reason: "a flow from nowhere") }
        flows[flow] = (origin, slice)
      }
    }
    guard open.values.allSatisfy(\.isEmpty) else { throw Damaged(reason: "slices without ends") }
  }
}

extension PerfettoFile.Sequence {
  mutating func add(_ data: ProtobufMessage) throws {
    for text in try data.all(1) { categories[text.number(1) ?? 0] = text.text(2) }
    for text in try data.all(2) { names[text.number(1) ?? 0] = text.text(2) }
    for text in try data.all(3) { annotationNames[text.number(1) ?? 0] = text.text(2) }
    for text in try data.all(4) { functions[text.number(1) ?? 0] = text.text(3) }
    for text in try data.all(29) { texts[text.number(1) ?? 0] = text.text(2) }
  }

  func slice(
    _ event: ProtobufMessage, _ time: UInt64, _ thread: Int
  ) throws -> PerfettoFile.Slice {
    var slice = PerfettoFile.Slice(
      thread: thread, name: event.number(10).flatMap { names[$0] } ?? "",
      function: event.number(34).flatMap { functions[$0] }, start: time, depth: 0, texts: [:],
      numbers: [:], category: event.number(3).flatMap { categories[$0] })
    for annotation in try event.all(4) {
      guard let name = annotation.number(1).flatMap({ annotationNames[$0] }) else {
        throw PerfettoFile.Damaged(reason: "an annotation without a name")
      }
      slice.texts[name] = annotation.text(6) ?? annotation.number(17).flatMap { texts[$0] }
      slice.numbers[name] = annotation.number(3)
    }
    return slice
  }
}

/// A message of Protocol Buffers: the fields with their numbers, in their order.
struct ProtobufMessage {
  private enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var fields: [(number: UInt64, value: Value)] = []

  init(_ bytes: [UInt8]) throws { try self.init(bytes[...]) }

  private init(_ bytes: ArraySlice<UInt8>) throws {
    var rest = bytes
    func varint() throws -> UInt64 {
      var (number, shift) = (UInt64(0), UInt64(0))
      while let byte = rest.popFirst() {
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
      throw PerfettoFile.Damaged(reason: "a number is cut short")
    }
    while !rest.isEmpty {
      let tag = try varint()
      switch tag & 7 {
      case 0: fields.append((tag >> 3, .number(try varint())))
      case 2:
        let count = Int(try varint())
        guard count <= rest.count else {
          throw PerfettoFile.Damaged(reason: "a field is cut short")
        }
        fields.append((tag >> 3, .bytes(rest.prefix(count))))
        rest = rest.dropFirst(count)
      default: throw PerfettoFile.Damaged(reason: "a wire type that is not used")
      }
    }
  }

  /// All fields, as messages.
  var messages: [(field: UInt64, message: ProtobufMessage)] {
    get throws {
      try fields.compactMap { field in
        guard case .bytes(let bytes) = field.value else { return nil }
        return (field.number, try ProtobufMessage(bytes))
      }
    }
  }

  func number(_ field: UInt64) -> UInt64? {
    for case (field, .number(let number)) in fields { return number }
    return nil
  }

  func text(_ field: UInt64) -> String? {
    for case (field, .bytes(let bytes)) in fields { return String(decoding: bytes, as: UTF8.self) }
    return nil
  }

  func message(_ field: UInt64) throws -> ProtobufMessage? { try all(field).first }

  func all(_ field: UInt64) throws -> [ProtobufMessage] {
    try fields.compactMap { number, value in
      guard number == field, case .bytes(let bytes) = value else { return nil }
      return try ProtobufMessage(bytes)
    }
  }
}
