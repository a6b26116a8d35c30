import Synchronization

/// A number that several tasks change.
final class Tally: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func set(_ count: Int) { value.store(count, ordering: .sequentiallyConsistent) }

    /// Returns the new number.
    @discardableResult
    func add(_ difference: Int = 1) -> Int { value.add(difference, ordering: .sequentiallyConsistent).newValue }
}
