/// A call of a stream that has begun and not ended.
///
/// An object: a value of so many words is copied at each step of its way into a table and out.
final class OpenCall {
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

  init(
    code: RecordedCode, start: UInt64, head: TraceStreamFormat.Head, dispatch: TraceDispatch?,
    sentTo: UInt32, occupied: UInt32, values: TraceValues, texts: [String]?
  ) {
    (self.code, self.start, self.head, self.dispatch) = (code, start, head, dispatch)
    (self.sentTo, self.occupied, self.values, self.texts) = (sentTo, occupied, values, texts)
    let described = TraceStreamFormat.weight(
      ofTexts: code.subject.textBytes + (dispatch?.textBytes ?? 0))
    weight = (texts ?? []).reduce(described) { $0 + TraceStreamFormat.weight(of: $1) }
  }
}
