public import KasiaPushCore

/// Keeps the service's registration as the app wants it.
///
/// The app says what it wants with `want`, and keeps `run` running. The manager sends one change at a time, one second
/// after the last wish, and nothing that the service has acknowledged already. It repeats what fails: at once with a
/// fresh challenge after a refused nonce; in 5, 30, 120, 600 and 3,600 seconds without network, after 429 or 5xx, and
/// never before the service's `Retry-After`. Another refusal is shown in `progress` and left alone until the app wants
/// something else, `retry` is called, or a day has passed. A sign-out is kept, also over restarts, until the service
/// has answered 200.
///
/// Only one manager may use a state, and only one a device key: the app's process, not its extension.
public actor RegistrationManager {
    /// Stores a state, durable on return; before that nothing is sent.
    public typealias Save = @Sendable (RegistrationState) async throws -> Void

    let calls: any RegistrationCalls
    let signer: CallSigner
    let environment: RegistrationEnvironment
    private let writer: StateWriter<RegistrationState>
    private var revision: UInt64 = 0
    /// Whether `save` has taken the newest state.
    private var isStored = true
    private(set) var machine: RegistrationMachine
    private var warnings: [String] = []
    private var sleeper: Task<Void, Never>?
    private var isRunning = false

    /// Each new `progress`; a reader that is slow gets the newest only.
    public nonisolated let changes: AsyncStream<RegistrationProgress>
    private let changesContinuation: AsyncStream<RegistrationProgress>.Continuation

    /// Makes a manager that goes on where the stored state ended.
    ///
    /// - Parameters:
    ///   - calls: The service.
    ///   - keys: The keys that sign.
    ///   - state: What `save` has stored last; nil at the first start.
    ///   - domain: Whose text is signed.
    ///   - environment: Time and chance.
    ///   - save: Stores the state.
    public init(
        calls: any RegistrationCalls, keys: any RegistrationKeys, state: RegistrationState?,
        domain: SignatureDomain = .kasia, environment: RegistrationEnvironment = .system, save: @escaping Save
    ) {
        self.calls = calls
        signer = CallSigner(calls: calls, keys: keys, domain: domain)
        self.environment = environment
        writer = StateWriter(save)
        machine = RegistrationMachine(state, now: environment.now())
        (changes, changesContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { changesContinuation.finish() }

    /// How far the service has what the app wants.
    public var progress: RegistrationProgress {
        var machine = machine
        var progress = machine.progress(now: environment.now())
        progress.warnings = warnings
        return progress
    }

    /// Whose numbers the pushes have that come now; nil while that is not known.
    public var numbering: PushNumbering? { machine.numbering }

    /// What the app wants from now on: at each start, and whenever something of it changes.
    ///
    /// It is stored on return, so that it happens even if the app ends now. Throws what `save` throws; the wish stands
    /// all the same as long as the app runs.
    public func want(_ wanted: WantedRegistration) async throws {
        let isNew = machine.want(wanted, now: environment.now())
        guard isNew || !isStored else { return }
        wake()
        try await store()
    }

    /// Makes the changes that are wanted until the task is cancelled; a second call returns at once.
    public func run() async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        // A run that was cancelled has ended its last call by itself.
        networkReturned()
        while !Task.isCancelled {
            switch await step() {
            case .send: continue
            case .wait(let time): await sleep(.milliseconds(max(0, time - environment.now())))
            case .idle: await sleep(RegistrationManager.longestSleep)
            }
        }
    }

    /// Tells that the network is back, so that nothing waits for longer than the service asks.
    public func networkReturned() {
        machine.networkReturned(now: environment.now())
        wake()
    }

    /// Tries now what has failed and what was refused, as the user asks for it.
    public func retry() {
        machine.retry(now: environment.now())
        wake()
    }

    /// Tells that the service does not know the token any more, so that it is registered again if it is wanted.
    ///
    /// `GapTracker` and `diagnose` find it out; Apple or Google may have called the token gone.
    public func registrationIsGone(_ token: PushToken) async throws {
        machine.registrationIsGone(token)
        wake()
        try await store()
    }

    /// Does what is next, if it is time, and says what it was.
    func step() async -> RegistrationStep {
        let step = machine.next(now: environment.now())
        guard case .send(let change) = step else { return step }
        machine.begin(change)
        publish()
        let outcome = await outcome(of: change)
        machine.finish(outcome, now: environment.now(), chance: environment.chance())
        // What is not stored now is found out at the next start: the change counts as one without an answer.
        try? await store()
        publish()
        return step
    }

    private func outcome(of change: RegistrationChange) async -> RegistrationOutcome {
        let authorization: RequestAuthorization?
        do {
            authorization = try await sign(change)
        } catch {
            return RegistrationOutcome(preparing: error)
        }
        let nonce = authorization.map { NonceLife(issuedAt: $0.timestamp, expiresAt: $0.expiresAt) }
        guard machine.send(now: environment.now(), nonce: nonce) else { return .abandoned }
        do {
            try await store()
        } catch {
            let problem = RegistrationProblem(.notStored, "The state could not be stored: \(error).")
            return .notDone(problem, retryAfter: nil)
        }
        do throws(IndexerError) {
            switch change {
            case .register(let registration):
                var request = registration.request
                request.auth = authorization
                warnings = try await calls.register(request).warnings ?? []
            case .unregister(let token, _):
                try await calls.unregister(token, auth: authorization)
            }
            return .done
        } catch {
            let outcome = RegistrationOutcome(error)
            // If it cannot be stored, the next try is refused like this one and raises it again.
            if case .counterRefused = outcome { try? await signer.raiseCounter() }
            return outcome
        }
    }

    /// nil for a change that no wallet signs.
    private func sign(_ change: RegistrationChange) async throws -> RequestAuthorization? {
        switch change {
        case .register(let registration):
            guard let wallet = registration.walletAddress else { return nil }
            return try await signer.authorization(
                .register, token: registration.token, lists: registration.request.signedLists, wallet: wallet)
        case .unregister(let token, let wallet):
            guard let wallet else { return nil }
            return try await signer.authorization(.unregister, token: token, wallet: wallet)
        }
    }

    // MARK: Storing and waiting

    private func store() async throws {
        revision += 1
        isStored = false
        let revision = revision
        try await writer.write(machine.state, revision: revision)
        if revision == self.revision { isStored = true }
    }

    /// Then the time is looked at again, since the clock may have been set forward.
    private static let longestSleep = Duration.seconds(3_600)

    private func sleep(_ duration: Duration) async {
        let duration = min(duration, RegistrationManager.longestSleep)
        let sleeper = Task { [environment] in await environment.sleep(duration) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
    }

    private func wake() {
        sleeper?.cancel()
        publish()
    }

    private func publish() { changesContinuation.yield(progress) }
}

extension RegistrationOutcome {
    /// Why a change could not be prepared; the service has seen nothing of it.
    init(preparing error: any Error) {
        switch error {
        case let error as IndexerError: self = .init(error)
        case let problem as RegistrationProblem: self = .refused(problem)
        case let error as RequestSignerError: self = .refused(RegistrationProblem(.cannotSign, "\(error)"))
        default:
            self = .notDone(
                RegistrationProblem(.keyUnavailable, "A key could not be used: \(error)."), retryAfter: nil)
        }
    }
}
