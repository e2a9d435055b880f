/// A call of a stream that has begun and not ended.
struct OpenCall {
  let code: RecordedCode
  let start: UInt64
  let head: TraceStreamFormat.Head
  let dispatch: TraceDispatch?

  /// When the task began elsewhere of which this is a part; nil if it did not.
  var left: UInt64?

  /// The number of the queue that its block was sent to; 0 if that is not known.
  let sentTo: UInt32

  /// The number of the queue that its code occupies; 0 for none.
  let occupied: UInt32
  let values: TraceValues
  let texts: [String]?

  /// What it takes of the limit of open calls: more with long texts and descriptions.
  let weight: Int
}
