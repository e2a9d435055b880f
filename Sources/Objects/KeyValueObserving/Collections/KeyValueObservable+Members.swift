extension KeyValueObservable {
  /// Changes a collection by its property's setter, and notifies observers of the members that
  /// changed, instead of the setting.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - outline: The outline of the change; in a transaction, the change is a setting.
  ///   - old: The old value, or the members that are removed.
  ///   - new: The members that are inserted; nil for a removal.
  ///   - change: Makes the change, and returns whether it is as outlined: a prior call of an
  ///     observer may have changed the property.
  func changeMembers<Value>(
    of keyPath: KeyPath<Self, Value>, _ outline: ChangeOutline, old: Value?, new: Value?,
    _ change: () -> Bool
  ) {
    guard let list = ObserverRegistry.existingList(for: keyPath, of: self) else {
      _ = change()
      return
    }
    let isWhole = ChangeTransaction.current != nil
    let outline = isWhole ? ChangeOutline(.setting) : outline
    let before = isWhole ? self[keyPath: keyPath] : old
    let isOutermost = list.open(outline)
    if isOutermost, list.wants(ObserverList.wantsOld) {
      list.note(self[keyPath: keyPath], of: self, before: outline)
    }
    let start = isOutermost ? list.begin(self, outline, old: before, isManual: true) : nil
    let isAsOutlined = change()
    guard let open = list.closeChange() else { return }
    // A manual change that had begun before has ended meanwhile.
    guard let start else { return end(open, of: keyPath, list) }
    let isSetting = isWhole || !isAsOutlined || open.outline.kind == .setting
    list.end(
      self, isSetting ? ChangeOutline(.setting) : outline, start,
      old: isAsOutlined || outline.kind == .setting ? before : nil,
      new: isSetting ? self[keyPath: keyPath] : new)
  }

  /// The members of a collection at some indexes; the value itself if there are none.
  func members<Value>(of value: Value, at indexes: RangeSet<Int>?) -> Value {
    guard let indexes, let collection = value as? any ObservableCollection else { return value }
    return collection.members(at: indexes) as? Value ?? value
  }
}
