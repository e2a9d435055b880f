#if Macros
import SwiftSyntax

/// Finds the properties that are messages.
extension ClassReader {
  mutating func read(_ property: VariableDeclSyntax) {
    let modifiers = property.modifiers.names
    if hooksCalls, !modifiers.contains("static"),
      property.attributes.attribute("Hookable") != nil,
      isMessage(property.attributes, modifiers, ofMethod: true),
      let hookable = try? HookableProperty(property, of: nil)
    {
      for use in hookable.messages(of: declaration) {
        read(use.function, as: use, of: Syntax(property))
      }
      return
    }
    guard isMessage(property.attributes, modifiers, ofMethod: false), !modifiers.contains("static"),
      !modifiers.contains("class")
    else { return }
    isDeprecated = isDeprecated || property.attributes.isDeprecated
    let bindings = Array(property.bindings)
    for (index, binding) in bindings.enumerated() {
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      let type = Spelling.type(of: binding, before: bindings[(index + 1)...])
      let reason =
        if name == nil {
          "declare each property by itself"
        } else if isolation(property.attributes, modifiers) != nil {
          "a key path to it is isolated; write a method"
        } else if type == nil {
          "a macro does not know its type; write it"
        } else {
          binding.effects == nil ? nil : "its getter has effects; write a method"
        }
      guard let name, let type, reason == nil else {
        leaveOut(property, binding.pattern, reason ?? "", property.attributes)
        continue
      }
      let bare = Spelling.bare(name)
      let selector = property.attributes.attribute("SentAs")?.text ?? bare
      let typedName = property.attributes.attribute("Named")?.text ?? name
      let isOfActor = isOfActor(property.attributes, modifiers)
      let isSet =
        property.bindingSpecifier.tokenKind == .keyword(.var) && binding.canBeSet
        && access.setter(property.modifiers) != "private "
      append(
        property,
        isOfActor
          ? .ofActor("receiver.\(name)") : isSet ? .property(name: name) : .getter(name: name),
        typedName, selector, [], type, access.member(property.modifiers))
      guard isSet else { continue }
      append(
        property, isOfActor ? .ofActor("receiver.\(name) = argument0") : .setter,
        Spelling.identifier("set" + Spelling.capitalised(Spelling.bare(typedName))),
        SelectorName.of(setter: selector), [type], "Void", access.setter(property.modifiers))
    }
  }

  private mutating func append(
    _ property: VariableDeclSyntax, _ kind: MessageMethod.Kind, _ name: String,
    _ selector: String, _ parameters: [String], _ result: String, _ access: String
  ) {
    methods.append(
      (
        MessageMethod(
          kind: kind, name: name, selector: selector, receiver: self.name, parameters: parameters,
          spelled: parameters,
          result: result, isAsync: kind.isOfActor, isOverride: false, isHidden: false,
          slot: nil, access: access),
        Syntax(property)
      ))
  }
}
#endif
