import KasiaPushCore
import Testing

@testable import KasiaPushClient

/// What each finding says of what was found out.
@Suite struct DiagnosisTests {
    private var facts: DiagnosisFacts

    /// As it should be.
    init() throws {
        var wanted = try MachineScript.registration()
        wanted.environment = .production
        var status = RegistrationStatus(isRegistered: true, lastSeen: 1)
        status.isBound = true
        status.walletAddress = wanted.walletAddress
        status.apnsEnvironment = .production
        facts = DiagnosisFacts(
            now: 1_767_225_600_000, permission: .allowed, lastPush: 1_767_225_540_000,
            progress: RegistrationProgress(stage: .done, isInEffect: true, pendingUnregisters: 0), wanted: wanted,
            readiness: .success(Readiness(isReady: true, parts: ["apns": .init(isReady: true, state: "ok")])),
            status: .success(status), missing: 0)
    }

    private func finding(_ check: Diagnosis.Check) throws -> Diagnosis.Finding {
        try #require(Diagnosis(facts).findings.first { $0.check == check })
    }

    private func expect(_ check: Diagnosis.Check, _ verdict: Diagnosis.Verdict, _ words: String) throws {
        let finding = try finding(check)
        #expect(finding.verdict == verdict)
        #expect(finding.sentence.contains(words))
        #expect((finding.advice == nil) == (verdict == .good || verdict == .unknown))
        if verdict == .bad { #expect(Diagnosis(facts).cause?.verdict == .bad) }
    }

    @Test func ifAllIsWellThereIsNoCause() {
        let diagnosis = Diagnosis(facts)
        #expect(diagnosis.findings.map(\.check) == Diagnosis.Check.allCases)
        #expect(diagnosis.findings.allSatisfy { $0.verdict == .good && $0.advice == nil })
        #expect(diagnosis.cause == nil)
    }

    @Test func theFirstBadFindingIsTheCause() throws {
        var copy = self
        copy.facts.missing = 3
        #expect(Diagnosis(copy.facts).cause?.check == .gap)
        copy.facts.readiness = .failure(.unreachable)
        #expect(Diagnosis(copy.facts).cause?.check == .server)
        copy.facts.permission = .denied
        #expect(Diagnosis(copy.facts).cause?.check == .permission)
    }

    @Test(arguments: [
        (NotificationPermission.allowed, Diagnosis.Verdict.good), (.quiet, .notice), (.denied, .bad), (.notAsked, .bad),
    ])
    mutating func permission(_ permission: NotificationPermission, _ verdict: Diagnosis.Verdict) throws {
        facts.permission = permission
        try expect(.permission, verdict, permission == .notAsked ? "not asked" : "Notifications")
    }

    @Test mutating func token() throws {
        try expect(.token, .good, "Apple")
        facts.wanted = nil
        try expect(.token, .bad, "Nobody is signed in")
        facts.progress.stage = .notAsked
        try expect(.token, .bad, "no push token")
    }

    @Test mutating func server() throws {
        facts.readiness = .failure(.unreachable)
        try expect(.server, .bad, "cannot be reached: There is no network.")
        try expect(.service, .unknown, "not known")
        facts.readiness = .failure(.refusal(502, .unavailable, "try again later"))
        try expect(.server, .notice, "try again later")
    }

    @Test mutating func service() throws {
        let parts = [
            "node": Readiness.Part(isReady: false, state: "no node"), "apns": .init(isReady: true, state: "ok"),
        ]
        facts.readiness = .success(Readiness(isReady: false, parts: parts))
        try expect(.service, .bad, "(node: no node)")
        let unconfigured = ["apns": Readiness.Part(isReady: true, state: "not configured")]
        facts.readiness = .success(Readiness(isReady: true, parts: unconfigured))
        try expect(.service, .bad, "nothing to Apple")
        facts.wanted?.token = try .fcm(String(repeating: "xYz", count: 30))
        try expect(.service, .good, "works")
        try expect(.environment, .unknown, "no environment")
    }

    @Test mutating func registration() throws {
        facts.progress.isInEffect = false
        try expect(.registration, .notice, "on its way")
        facts.progress.problem = MachineScript.refused
        try expect(.registration, .bad, "watched_addresses has too many entries")
        facts.progress.isInEffect = true
        facts.status = .success(RegistrationStatus())
        try expect(.registration, .bad, "does not know this device")
        facts.wanted = nil
        try expect(.registration, .unknown, "nothing to register")
        facts.progress.pendingUnregisters = 1
        try expect(.registration, .notice, "sign-out")
    }

    @Test(arguments: [
        RegistrationProblem.Kind.refused, .boundElsewhere, .walletKeyMissing, .cannotSign, .keyUnavailable,
        .unavailable, .notStored,
    ])
    mutating func eachProblemHasAnAdvice(_ kind: RegistrationProblem.Kind) throws {
        facts.progress.isInEffect = false
        facts.progress.problem = RegistrationProblem(kind, "a sentence")
        try expect(.registration, .bad, "a sentence")
    }

    @Test mutating func wallet() throws {
        var status = RegistrationStatus(isRegistered: true)
        status.isBound = true
        facts.status = .success(status)
        try expect(.wallet, .good, "bound to a wallet")
        status.walletAddress = FakeWalletKey(2).address
        facts.status = .success(status)
        try expect(.wallet, .bad, "another wallet")
        status.isBound = false
        status.walletAddress = nil
        facts.status = .success(status)
        try expect(.wallet, .notice, "not bound")
        facts.status = .failure(.refusal(401, .boundElsewhere, "device token is bound to another wallet"))
        try expect(.wallet, .bad, "another wallet")
        facts.status = .failure(.unreachable)
        try expect(.wallet, .unknown, "not known")
        facts.wanted?.walletAddress = nil
        try expect(.wallet, .notice, "bound to no wallet")
        facts.wanted = nil
        try expect(.wallet, .unknown, "No wallet")
    }

    @Test mutating func environment() throws {
        facts.wanted?.environment = .development
        try expect(.environment, .bad, "production, but this app is of development")
        facts.wanted?.environment = nil
        try expect(.environment, .good, "production")
        facts.status = nil
        try expect(.environment, .unknown, "not known")
    }

    @Test(
        arguments: [
            (0, Diagnosis.Verdict.good, "just now"), (-5, .good, "just now"), (60, .good, "1 min ago"),
            (7_200, .good, "2 hours ago"), (604_800, .good, "7 days ago"), (604_801, .notice, "7 days ago"),
        ] as [(Int64, Diagnosis.Verdict, String)])
    mutating func lastPush(_ seconds: Int64, _ verdict: Diagnosis.Verdict, _ words: String) throws {
        facts.lastPush = facts.now - seconds * 1_000
        try expect(.lastPush, verdict, words)
        facts.lastPush = nil
        try expect(.lastPush, .notice, "No push has come")
    }

    @Test mutating func gap() throws {
        facts.missing = 1
        try expect(.gap, .notice, "1 push that")
        facts.missing = 2
        try expect(.gap, .notice, "2 pushes that")
        facts.missing = nil
        try expect(.gap, .unknown, "not known")
    }
}
