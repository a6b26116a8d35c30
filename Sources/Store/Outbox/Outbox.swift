/// What is to be sent: events, the deliveries made of them, their schedule, the log of what devices were told, dead
/// letters, corrections, and the books that count all of it.
///
/// It asks the registry for watchers and devices (`StoreReading.watchers`, `device`), and has it remove a device whose
/// token Apple calls dead (`WriteTransaction.removeDevice`).
public struct Outbox: StorePart {
    let engine: StoreEngine
}
