import ObservationBridge

// One scenario a run, because the bridge, once linked, is there for the whole process: prints what
// observers and Observation hear.

let scenario = CommandLine.arguments.dropFirst().first ?? ""
let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
switch scenario {
case "property": observeProperty()
case "origin": observeOrigin()
case "paths": observePaths()
case "kinds": observeWhatChangesItsKind()
case "repetition": repeatOwnPath()
case "within calls": observeWithinCalls()
case "collection": observeCollection()
case "transaction": observeInTransaction()
case "changes": await observeChanges()
case "lifetimes": observeLifetimes()
case "tracked properties": trackProperties()
case "tracked weak reference": trackWeakReference()
case "tracked in a transaction": trackInTransaction()
case "without conformance": trackWithoutConformance()
case "tracked and observed": trackAndObserve()
case "tracked as a sequence": await trackAsSequence()
case "model": compareModels()
case "threads": useFromThreads()
case "changing": observeWhileChanging(rounds: rounds)
case "levels": observeWhileReplacingLevels()
case "replacing": observeWhileReplacing(rounds: rounds)
case "delivering": deliverWhileChanging(rounds: rounds)
case "public interface": await trackPublicly()
case "tracked lifetimes": trackedLifetimes()
default: print("there is no scenario \"\(scenario)\"")
}
