import KasiaPushStore

// One of the processes that share a store in TwoProcessesTests: it works until it is killed, and prints a line when,
// and only when, a verb has returned.
// Usage: PushStoreProcess adder PATH FIRST | taker PATH NOW | drain PATH | open PATH

guard CommandLine.arguments.count >= 3 else { fatalError("a role and a path are given") }
let role = CommandLine.arguments[1]
let number = CommandLine.arguments.count > 3 ? Int64(CommandLine.arguments[3]) ?? 0 : 0
do {
    let store = try await PushStore.open(path: CommandLine.arguments[2])
    switch role {
    case "adder": try await Adder(store: store).run(first: number)
    case "taker": try await Taker(store: store).run(now: number)
    case "drain": try await Taker(store: store).drain()
    case "open": say("opened")
    default: fatalError("a role is adder, taker, drain or open")
    }
    await store.close()
} catch {
    say("failed \(error)")
}
