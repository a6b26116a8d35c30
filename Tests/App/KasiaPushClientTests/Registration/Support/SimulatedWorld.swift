import Foundation
import KasiaPushCore

@testable import KasiaPushClient

/// A phone's storage and keys, the network and the service, in virtual time.
///
/// It ends the app's process at chosen points: before and after each store, each counter and each request. A process
/// that has ended reaches nothing any more.
actor SimulatedWorld {
    /// What may go wrong, as chances from 0 to 1.
    struct Weather {
        var isOffline = false
        /// The request never arrives.
        var lostRequest = 0.0
        /// The service acts, and its answer is lost.
        var lostAnswer = 0.0
        /// The request arrives after the phone has given up, or after its nonce has expired.
        var late = 0.0
        /// The connection sends the request twice, and the phone gets the second answer.
        var doubled = 0.0
        /// 500, 502 or 503, in one of three cases after the service has acted.
        var serverError = 0.0
        /// 429 with `Retry-After`.
        var throttled = 0.0
        /// 401 about the nonce, as after a restart that lost the key of nonces.
        var forgottenNonce = 0.0
        /// The state cannot be stored.
        var diskFull = 0.0
        /// The keys cannot be used.
        var locked = 0.0
        /// The process ends, at each point.
        var killed = 0.0

        static let fine = Weather()
    }

    /// The service's time, milliseconds since 1970.
    private(set) var time: Int64
    var weather = Weather.fine
    var service: ModelService
    /// The phone's.
    let clock: SimulatedClock
    /// What the app has stored.
    private(set) var stored: RegistrationState?
    private(set) var counter: UInt64 = 0
    /// The tokens that the app has registered, or tried to, since it was installed.
    private(set) var triedTokens: Set<PushToken> = []
    /// Which process is the living one.
    private(set) var life = 0
    /// How many points there were at which the process could end.
    private(set) var points = 0
    /// The point at which it ends.
    var killPoint: Int?
    private(set) var requests = 0
    /// What must never be and was.
    private(set) var violations: [String] = []
    /// The last that happened before the first violation, for whoever looks for its reason.
    private(set) var journal: [String] = []
    var walletsOnPhone: Set<Int> = []
    var deviceKey: Int?
    /// Called while a request is on its way.
    var onTheWay: (@Sendable () async -> Void)?

    private var random: RandomStream
    private var changesInFlight = 0
    private var signedCounters: Set<UInt64> = []
    private var late: [(at: Int64, act: @Sendable (inout ModelService) -> Void)] = []
    private var wishedAt: Int64?
    private var notBefore: Int64 = 0
    /// What the manager knows for sure that the service has.
    private var certain: [PushToken: Content] = [:]
    private var uncertainUntil: [PushToken: Int64] = [:]
    private var allUncertainUntil: Int64 = 0

    init(seed: UInt64, time: Int64 = 1_767_225_600_000, deviceKey: Int? = 0) {
        var random = RandomStream(seed: seed)
        clock = SimulatedClock(time: time, random: RandomStream(seed: random.next()))
        self.random = random
        self.time = time
        self.deviceKey = deviceKey
        service = ModelService(now: time)
    }

    func set(_ body: @Sendable (isolated SimulatedWorld) -> Void) { body(self) }

    func note(_ event: String) {
        guard violations.isEmpty else { return }
        journal.append("\(time - 1_767_225_600_000) \(event)")
        if journal.count > 300 { journal.removeFirst(200) }
    }

    func violate(_ rule: String) {
        note("it must not be: \(rule)")
        violations.append(rule)
    }

    // MARK: Time

    /// Moves on; requests that come late arrive on the way.
    func advance(to end: Int64) {
        let due = late.filter { $0.at <= end }.sorted { $0.at < $1.at }
        late.removeAll { $0.at <= end }
        for request in due {
            setTime(max(time, request.at))
            note("a late request arrives")
            request.act(&service)
        }
        setTime(max(time, end))
    }

    private func setTime(_ time: Int64) {
        self.time = time
        service.now = time
        clock.set(time: time)
    }

    /// Sets the phone's clock wrong, milliseconds.
    ///
    /// To a phone whose clock is set back, a request from long ago may still arrive: it sends what is acknowledged soon
    /// after once more.
    func setClockError(_ error: Int64) {
        note("the phone's clock is wrong by \(error)")
        clock.set(error: error)
        allUncertainUntil = time + 2 * SentChange.lateTime
        wishedAt = nil
        notBefore = 0
    }

    /// Nothing may be sent for a second.
    func noteWish() { wishedAt = time }

    /// Lets a manager do all that it has to do, however long that takes, up to ten days.
    func settle(_ manager: RegistrationManager) async {
        let end = time + 864_000_000
        while time < end {
            switch await manager.step() {
            case .send: continue
            case .wait(let phoneTime): advance(to: max(phoneTime - clock.currentError, time + 1))
            case .idle: return
            }
        }
    }

    // MARK: Processes

    /// Ends the living process, if there is one, and begins the next.
    func begin() -> SimulatedProcess {
        end()
        return SimulatedProcess(world: self, life: life, clock: clock)
    }

    func end() {
        life += 1
        note("process \(life)")
        // The last answer may not have been stored, and what was stored last may not have been sent.
        certain = [:]
        uncertainUntil = [:]
        allUncertainUntil = time + 2 * SentChange.lateTime
        wishedAt = nil
        notBefore = 0
    }

    /// What survives when the app is deleted: the keys, and perhaps their counter.
    func deleteApp(keepsCounter: Bool) {
        end()
        stored = nil
        triedTokens = []
        note("the app is deleted")
        if !keepsCounter {
            counter = 0
            signedCounters = []
        }
    }

    func forget(_ token: PushToken) {
        service.devices[token] = nil
        noteTold(token)
    }

    /// The app was told that the service does not know a token.
    func noteTold(_ token: PushToken) {
        note("gone \(token)")
        certain[token] = nil
    }

    /// The stored state, through the form in which an app keeps it.
    func storedState() throws -> RegistrationState? {
        try stored.map { try JSONDecoder().decode(RegistrationState.self, from: JSONEncoder().encode($0)) }
    }

    private func point(_ process: Int) throws(IndexerError) {
        guard process == life else { throw .killed }
        points += 1
        guard points == killPoint || chance(weather.killed) else { return }
        end()
        throw .killed
    }

    private func chance(_ chance: Double) -> Bool { chance > 0 && Double.random(in: 0..<1, using: &random) < chance }

    // MARK: Storage and keys

    func store(_ state: RegistrationState, _ process: Int) throws {
        try point(process)
        if chance(weather.diskFull) { throw Failure.diskFull }
        stored = state
        try point(process)
    }

    func walletKey(for address: String, _ process: Int) throws -> FakeWalletKey? {
        guard process == life else { throw IndexerError.killed }
        if chance(weather.locked) { throw Failure.locked }
        return walletsOnPhone.lazy.map(FakeWalletKey.init).first { $0.address == address }
    }

    func device(_ process: Int) throws -> FakeDeviceKey? {
        guard process == life else { throw IndexerError.killed }
        return deviceKey.map { FakeDeviceKey($0) { await self.noteSigned($0, process) } }
    }

    func store(counter: UInt64, _ process: Int) throws {
        try point(process)
        self.counter = counter
        try point(process)
    }

    private func noteSigned(_ counter: UInt64, _ process: Int) {
        guard process == life else { return }
        if counter != self.counter { violate("counter \(counter) is used before it is stored") }
        if !signedCounters.insert(counter).inserted { violate("counter \(counter) is used twice") }
    }

    private struct Content: Equatable {
        var request: RegistrationRequest
        var wallet: String?
    }

    enum Failure: Error { case diskFull, locked }

    // MARK: Requests

    func challenge(_ process: Int) async throws(IndexerError) -> PushChallenge {
        try await send(process, nil) { service throws(IndexerError) in try service.challenge() }
    }

    func register(_ request: RegistrationRequest, _ process: Int) async throws(IndexerError) {
        if process == life { triedTokens.insert(request.token) }
        let content = Content(request: request.withoutAuth, wallet: request.auth?.walletAddress)
        if process == life, certain[request.token] == content {
            violate("a registration is sent that is acknowledged")
        }
        try await change(process, request.token, content) { service throws(IndexerError) in
            try service.register(request)
        }
    }

    func unregister(
        _ token: PushToken, _ auth: RequestAuthorization?, _ process: Int
    ) async throws(IndexerError) {
        try await change(process, token, nil) { service throws(IndexerError) in try service.unregister(token, auth) }
    }

    private func change(
        _ process: Int, _ token: PushToken, _ content: Content?,
        _ body: @escaping @Sendable (inout ModelService) throws(IndexerError) -> Void
    ) async throws(IndexerError) {
        guard process == life else { throw .killed }
        changesInFlight += 1
        defer { changesInFlight -= 1 }
        if changesInFlight > 1 { violate("two changes are in flight") }
        if let wishedAt, time < wishedAt + 1_000 { violate("a change is sent within a second of a wish") }
        wishedAt = nil
        let sentAt = time
        do throws(IndexerError) {
            try await send(process, token, body)
            note("\(content == nil ? "unregister" : "register") \(token): done")
            certain[token] = sentAt < max(allUncertainUntil, uncertainUntil[token] ?? 0) ? nil : content
        } catch {
            note("\(content == nil ? "unregister" : "register") \(token): \(error)")
            if error.kind != .refused || (error.status ?? 0) >= 500 { noteUncertain(token) }
            if error.status == 401 { certain[token] = nil }
            throw error
        }
    }

    private func send<Answer: Sendable>(
        _ process: Int, _ token: PushToken?,
        _ body: @escaping @Sendable (inout ModelService) throws(IndexerError) -> Answer
    ) async throws(IndexerError) -> Answer {
        try point(process)
        requests += 1
        if clock.now < notBefore { violate("a request is sent before the end of Retry-After") }
        advance(to: time + Int64.random(in: 20...400, using: &random))
        await onTheWay?()
        guard process == life else { throw .killed }
        if weather.isOffline { throw .unreachable }
        if chance(weather.lostRequest) { throw .timedOut }
        if chance(weather.throttled) {
            let seconds = Int.random(in: 1...600, using: &random)
            notBefore = clock.now + Int64(seconds) * 1_000
            throw .refusal(429, .tooManyRequests, "too many", retryAfter: .seconds(seconds))
        }
        if token != nil, chance(weather.forgottenNonce) { throw .usedNonce }
        if token != nil, chance(weather.late) {
            let arrival = time + Int64.random(in: 100...80_000, using: &random)
            late.append((arrival, { _ = try? body(&$0) }))
            advance(to: time + Int64.random(in: 500...20_000, using: &random))
            throw .timedOut
        }
        if chance(weather.serverError) {
            if chance(0.33) { _ = try? body(&service) }
            throw .refusal(Bool.random(using: &random) ? 500 : 503, .unavailable, "try again later")
        }
        if token != nil, chance(weather.doubled) { _ = try? body(&service) }
        let answer = try body(&service)
        if chance(weather.lostAnswer) { throw .unreachable }
        try point(process)
        return answer
    }

    /// What is acknowledged in the next time is sent once more after it, as the request may still arrive.
    private func noteUncertain(_ token: PushToken) {
        certain[token] = nil
        uncertainUntil[token] = time + 2 * SentChange.lateTime
    }

    // MARK: Reads

    func status(
        _ token: PushToken, _ auth: RequestAuthorization?, _ process: Int
    ) async throws(IndexerError) -> RegistrationStatus {
        try await send(process, nil) { service throws(IndexerError) in try service.status(token, auth) }
    }

    func missed(
        _ token: PushToken, _ after: UInt64, _ auth: RequestAuthorization?, _ process: Int
    ) async throws(IndexerError) -> MissedPushes {
        try await send(process, nil) { service throws(IndexerError) in try service.missed(token, after: after, auth) }
    }

    func ready(_ process: Int) async throws(IndexerError) -> Readiness {
        try await send(process, nil) { _ in
            Readiness(isReady: true, parts: ["apns": .init(isReady: true, state: "ok")])
        }
    }
}

extension RegistrationRequest {
    var withoutAuth: RegistrationRequest {
        var request = self
        request.auth = nil
        return request
    }
}
