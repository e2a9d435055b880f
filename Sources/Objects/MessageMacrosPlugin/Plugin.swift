#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct MessageMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ForwardingMacro.self, MessagesMacro.self, MarkerMacro.self, HookedCallMacro.self,
    HookableMacro.self, HookablePropertyMacro.self, KeysMacro.self,
  ]
}
#else
/// Without the trait `Macros` there are no macros, but a program has an entry.
@main
struct NoMacros {
  static func main() {}
}
#endif
