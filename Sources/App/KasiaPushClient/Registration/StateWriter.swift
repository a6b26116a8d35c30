/// Stores the states of an actor one after the other, so that an older one never replaces a newer one.
actor StateWriter<State: Sendable> {
    private let save: @Sendable (State) async throws -> Void
    private var newest: (state: State, revision: UInt64)?
    private var written: UInt64 = 0
    private var isWriting = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ save: @escaping @Sendable (State) async throws -> Void) {
        self.save = save
    }

    /// Stores a state, or one that came later; durable on return.
    ///
    /// `revision` grows with each state, as calls of an actor may overtake each other. Throws what `save` throws.
    func write(_ state: State, revision: UInt64) async throws {
        if newest.map({ $0.revision < revision }) ?? true { newest = (state, revision) }
        while isWriting { await withCheckedContinuation { waiting.append($0) } }
        guard let newest, written < revision else { return }
        isWriting = true
        defer {
            isWriting = false
            let next = waiting
            waiting = []
            for continuation in next { continuation.resume() }
        }
        try await save(newest.state)
        written = newest.revision
    }
}
