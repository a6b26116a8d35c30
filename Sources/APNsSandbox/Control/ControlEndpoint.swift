import FoundationEssentials

/// The requests under `/control/`, which change the script and read the log.
///
/// They need no provider token, and are not logged.
struct ControlEndpoint: Sendable {
    static let prefix = "/control/"
    /// The most entries in one answer.
    static let pageLimit = 1000
    private static let defaultPage = 100

    let core: SandboxCore

    /// The answer to a control request that came on connection `number`.
    func answer(to request: IncomingRequest, from number: Int) -> SandboxAnswer {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        let path = parts.first.map(String.init) ?? ""
        let query = parts.count > 1 ? String(parts[1]) : ""
        switch (request.method, path) {
        case ("POST", "/control/script"): return runScript(request, from: number)
        case ("POST", "/control/subscriptions"): return makeSubscription(request)
        case ("GET", "/control/state"): return encode(ControlState(core))
        case ("GET", "/control/notifications"): return list(.notifications, query)
        case ("GET", "/control/requests"): return list(.requests, query)
        case ("DELETE", "/control/notifications"), ("DELETE", "/control/requests"):
            core.journal.forget()
            return encode(ControlState(core))
        case ("DELETE", "/control/rules"):
            core.withRules { $0.removeAll() }
            return encode(ControlState(core))
        case ("DELETE", let path) where path.hasPrefix("/control/rules/"):
            return removeRules(named: String(path.dropFirst("/control/rules/".count)))
        case ("DELETE", let path) where path.hasPrefix("/control/subscriptions/"):
            return endSubscription(String(path.dropFirst("/control/subscriptions/".count)))
        default:
            return Self.fault(404, "There is no \(request.method) \(path); apns-sandbox.md lists what there is.")
        }
    }

    private func runScript(_ request: IncomingRequest, from number: Int) -> SandboxAnswer {
        if request.bodyIsTooLarge {
            return Self.fault(413, "A script has at most \(IncomingRequest.largestControlBody) bytes.")
        }
        do {
            core.apply(try SandboxScript(json: request.body), except: number)
            return encode(ControlState(core))
        } catch {
            return Self.fault(400, error.message)
        }
    }

    private func removeRules(named name: String) -> SandboxAnswer {
        let count = core.withRules { $0.remove(named: name) }
        return count > 0 ? encode(ControlState(core)) : Self.fault(404, "There is no rule named \(name).")
    }

    private func makeSubscription(_ request: IncomingRequest) -> SandboxAnswer {
        guard let subscriptions = core.webPush?.subscriptions else {
            return Self.fault(404, "The stand-in plays no Web Push service; start it with --web-push.")
        }
        guard subscriptions.count < Subscriptions.capacity else {
            return Self.fault(400, "There are \(Subscriptions.capacity) subscriptions, and no more are made.")
        }
        do throws(SandboxError) {
            let wanted = try SubscriptionRequest(json: request.body)
            let subscription = subscriptions.make(
                id: wanted.id, origin: core.origin, applicationServerKey: wanted.applicationServerKey)
            return SandboxAnswer(status: 200, body: subscription.json + "\n")
        } catch {
            return Self.fault(400, error.message)
        }
    }

    private func endSubscription(_ id: String) -> SandboxAnswer {
        let isEnded = core.webPush?.subscriptions.end(id) ?? false
        return isEnded ? encode(ControlState(core)) : Self.fault(404, "There is no subscription \(id).")
    }

    /// A page of a log.
    ///
    /// In the query, `after` is an entry's number, `limit` a count, `token` a device token.
    private func list(_ log: Journal.Log, _ query: String) -> SandboxAnswer {
        var (after, limit) = (0, Self.defaultPage)
        var token: String?
        for field in query.split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2, pair[0] == "token" {
                token = FormFields.decoded(pair[1].utf8) ?? pair[1]
                continue
            }
            guard pair.count == 2, let number = Int(pair[1]), number >= 0 else {
                return Self.fault(
                    400, "\(field) is not a name with a whole number; possible are after and limit, and token=TOKEN.")
            }
            switch pair[0] {
            case "after": after = number
            case "limit": limit = min(number, Self.pageLimit)
            default: return Self.fault(400, "There is no \(pair[0]) here; possible are after, limit and token.")
            }
        }
        return encode(core.journal.entries(log, after: after, limit: limit, token: token).map(ControlEntry.init))
    }

    private func encode(_ value: some Encodable) -> SandboxAnswer {
        guard let line = JSONText.line(value) else { return Self.fault(500, "The answer cannot be written.") }
        return SandboxAnswer(status: 200, body: line + "\n")
    }

    private static func fault(_ status: Int, _ sentence: String) -> SandboxAnswer {
        SandboxAnswer(status: status, body: "{\"error\":\(JSONText.quoted(sentence))}\n")
    }
}
