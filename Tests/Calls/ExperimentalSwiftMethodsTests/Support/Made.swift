/// An object of a class that the optimiser does not know.
@inline(never)
@_optimize(none)
func made<Object: AnyObject>(_ make: () -> Object) -> Object { make() }
