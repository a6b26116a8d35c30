import KasiaPushCore

extension Diagnosis {
    /// How long without a push is worth a look, milliseconds: a week.
    static let quietTime: Int64 = 7 * 86_400_000

    init(_ facts: DiagnosisFacts) {
        findings = [
            facts.permissionFinding, facts.tokenFinding, facts.serverFinding, facts.serviceFinding,
            facts.registrationFinding, facts.walletFinding, facts.environmentFinding, facts.lastPushFinding,
            facts.gapFinding,
        ]
    }
}

extension DiagnosisFacts {
    fileprivate typealias Finding = Diagnosis.Finding

    fileprivate var permissionFinding: Finding {
        switch permission {
        case .allowed: .init(.permission, .good, "Notifications are allowed.")
        case .quiet:
            .init(
                .permission, .notice, "Notifications come without an alert or a sound.",
                "Turn on alerts for this app in the system's settings.")
        case .denied:
            .init(
                .permission, .bad, "Notifications are not allowed.",
                "Allow them for this app in the system's settings.")
        case .notAsked:
            .init(
                .permission, .bad, "The app has not asked for notifications yet.", "Turn on notifications in the app.")
        }
    }

    fileprivate var tokenFinding: Finding {
        if let wanted { return .init(.token, .good, "This device has a push token of \(wanted.token.carrier.owner).") }
        if progress.stage == .notAsked {
            return .init(
                .token, .bad, "There is no push token yet.",
                "Connect to the internet and start the app again: the system gives the token.")
        }
        return .init(.token, .bad, "Nobody is signed in.", "Sign in and turn on notifications in the app.")
    }

    fileprivate var serverFinding: Finding {
        switch readiness {
        case .success: .init(.server, .good, "The push service answers.")
        case .failure(let error) where error.kind == .refused:
            .init(.server, .notice, "The push service answers with an error: \(error.message)", "Try again later.")
        case .failure(let error):
            .init(
                .server, .bad, "The push service cannot be reached: \(error.message)",
                "Check the internet connection and the service's address.")
        }
    }

    fileprivate var serviceFinding: Finding {
        guard case .success(let readiness) = readiness else {
            return .init(.service, .unknown, "Whether the push service works is not known.")
        }
        let tell = "Tell the operator of the push service."
        if let carrier = wanted?.token.carrier, readiness.parts[carrier.part]?.state == "not configured" {
            return .init(.service, .bad, "The push service sends nothing to \(carrier.owner).", tell)
        }
        guard readiness.isReady else {
            let parts = readiness.parts.filter { !$0.value.isReady }.sorted { $0.key < $1.key }
            let words = parts.map { "\($0.key): \($0.value.state)" }.joined(separator: "; ")
            return .init(.service, .bad, "The push service does not work at the moment (\(words)).", tell)
        }
        return .init(.service, .good, "The push service works.")
    }

    fileprivate var registrationFinding: Finding {
        guard wanted != nil else {
            guard progress.pendingUnregisters > 0 else {
                return .init(.registration, .unknown, "There is nothing to register.")
            }
            return .init(
                .registration, .notice, "The push service has not been told of the sign-out yet.",
                "Stay online for a while; it is repeated until it is done.")
        }
        if case .success(let status)? = status, !status.isRegistered {
            return .init(
                .registration, .bad, "The push service does not know this device.",
                progress.problem?.message ?? "Keep the app open: it registers the device again.")
        }
        if progress.isInEffect {
            return .init(.registration, .good, "The push service knows this device and what it watches.")
        }
        guard let problem = progress.problem else {
            return .init(.registration, .notice, "The registration is on its way.", "Wait a few seconds.")
        }
        return .init(.registration, .bad, "The registration has failed: \(problem.message)", problem.kind.advice)
    }

    fileprivate var walletFinding: Finding {
        guard let wallet = wanted?.walletAddress else {
            return wanted == nil
                ? .init(.wallet, .unknown, "No wallet is signed in.")
                : .init(
                    .wallet, .notice, "The registration is bound to no wallet: whoever learns the token can change it.",
                    "Sign in with a wallet.")
        }
        if progress.problem?.kind == .boundElsewhere { return .otherWallet }
        switch status {
        case .failure(let error)? where error.code == .boundElsewhere: return .otherWallet
        case .success(let status)? where status.isRegistered:
            if status.isBound == false {
                return .init(
                    .wallet, .notice, "The registration is not bound to the wallet yet.",
                    "Keep the app open and online.")
            }
            guard let bound = status.walletAddress else {
                return .init(.wallet, .good, "The registration is bound to a wallet.")
            }
            return bound == wallet ? .init(.wallet, .good, "The registration is bound to this wallet.") : .otherWallet
        default: return .init(.wallet, .unknown, "Whether the registration is bound to the wallet is not known.")
        }
    }

    fileprivate var environmentFinding: Finding {
        guard wanted?.token.carrier == .apns else {
            return .init(.environment, .unknown, "There is no environment to check.")
        }
        guard case .success(let status)? = status, let known = status.apnsEnvironment else {
            return .init(.environment, .unknown, "Which of Apple's environments the service uses is not known.")
        }
        guard let environment = wanted?.environment, environment != known else {
            return .init(.environment, .good, "The service sends to Apple's environment \(known.rawValue).")
        }
        return .init(
            .environment, .bad,
            "The service sends to Apple's environment \(known.rawValue), but this app is of \(environment.rawValue).",
            "Keep the app open: it registers the device again.")
    }

    fileprivate var lastPushFinding: Finding {
        guard let lastPush else {
            return .init(.lastPush, .notice, "No push has come to this device yet.", "Let somebody send you a message.")
        }
        let age = max(0, now - lastPush)
        guard age > Diagnosis.quietTime else { return .init(.lastPush, .good, "The last push came \(age.asAge).") }
        return .init(
            .lastPush, .notice, "The last push came \(age.asAge).", "Let somebody send you a message.")
    }

    fileprivate var gapFinding: Finding {
        switch missing {
        case nil: .init(.gap, .unknown, "Whether pushes are missing is not known.")
        case 0: .init(.gap, .good, "No push is missing.")
        case let count?:
            .init(
                .gap, .notice, "The service has sent \(count) \(count == 1 ? "push" : "pushes") that did not arrive.",
                "Open the app while online: it fetches them.")
        }
    }
}

extension Diagnosis.Finding {
    fileprivate init(
        _ check: Diagnosis.Check, _ verdict: Diagnosis.Verdict, _ sentence: String, _ advice: String? = nil
    ) {
        self.init(check: check, verdict: verdict, sentence: sentence, advice: advice)
    }

    fileprivate static let otherWallet = Diagnosis.Finding(
        .wallet, .bad, "This device is still registered for another wallet.",
        "Sign in with that wallet and sign out, or wait a week.")
}

extension RegistrationProblem.Kind {
    fileprivate var advice: String {
        switch self {
        case .refused, .cannotSign: "Update the app, or tell its developers."
        case .boundElsewhere: "Sign in with that wallet and sign out, or wait a week."
        case .walletKeyMissing: "Import the wallet again, or sign in with another one."
        case .keyUnavailable: "Unlock the device and open the app."
        case .unavailable: "Stay online; it is tried again."
        case .notStored: "Make room on the device."
        }
    }
}

extension PushToken.Carrier {
    fileprivate var owner: String {
        switch self {
        case .apns: "Apple"
        case .fcm: "Google"
        case .webPush: "a Web Push service"
        }
    }

    /// The part of `/ready` that sends to it.
    fileprivate var part: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .webPush: "web_push"
        }
    }
}

extension Int64 {
    /// A duration in milliseconds, as a time ago.
    fileprivate var asAge: String {
        let minutes = self / 60_000
        return switch minutes {
        case 0: "just now"
        case 1..<120: "\(minutes) min ago"
        case 120..<2_880: "\(minutes / 60) hours ago"
        default: "\(minutes / 1_440) days ago"
        }
    }
}
