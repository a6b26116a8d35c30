import KasiaProtocol
import Kaspa
import Store
import Testing

@testable import API

/// The numbers and names of `openapi.json` against those of the code.
@Suite("Limits of the OpenAPI document")
struct DocumentLimitTests {
    private static let schemaLimits: [(String, Int)] = [
        ("Address maxLength", APILimits.addressBytes),
        ("Endpoint maxLength", APILimits.endpointBytes),
        ("Watch properties watched_addresses maxItems", APILimits.watchedAddresses),
        ("Watch properties watch_only_addresses maxItems", APILimits.watchOnlyAddresses),
        ("Watch properties aliases maxItems", APILimits.aliases),
        ("Watch properties aliases items maxLength", APILimits.aliasBytes),
        ("Watch properties watched_group_ids maxItems", APILimits.groupIDs),
        ("Watch properties capabilities maxItems", APILimits.capabilities),
        ("Watch properties watched_broadcast_channels maxItems", APILimits.broadcastChannels),
        ("Watch properties hidden_broadcast_senders maxProperties", APILimits.broadcastChannels),
        (
            "Watch properties hidden_broadcast_senders additionalProperties maxItems", APILimits.hiddenBroadcastSenders
        ),
        ("RegistrationStatus properties watched_addresses maxItems", APILimits.watchedAddresses),
        ("RegistrationStatus properties watch_only_addresses maxItems", APILimits.watchOnlyAddresses),
        ("RegistrationStatus properties aliases maxItems", APILimits.aliases),
        ("RegistrationStatus properties watched_group_ids maxItems", APILimits.groupIDs),
        ("RegistrationStatus properties capabilities maxItems", APILimits.capabilities),
        ("RegistrationStatus properties watched_broadcast_channels maxItems", APILimits.broadcastChannels),
        ("RegistrationStatus properties hidden_broadcast_senders maxProperties", APILimits.broadcastChannels),
        ("RingRequest properties payload maxLength", RingRoute.payloadDigits),
        ("Missed properties items maxItems", MissedRoute.maximumLimit),
        ("Devices properties devices maxItems", Registry.devicesPerWallet),
        ("ActivityPage properties items maxItems", ActivityRoutes.maximumLimit),
        ("ServiceStatus properties events maxItems", RecentEvents.capacity),
        ("StatusHistory properties time maxItems", StatusHistory.capacity),
        ("StatusHistory properties queue maxItems", StatusHistory.capacity),
        ("StatusHistory properties interval_seconds const", Int(StatusHistory.interval.components.seconds)),
    ]

    @Test("a limit of a schema is the code's", arguments: schemaLimits)
    func schemas(path: String, limit: Int) throws {
        #expect(try DocumentValue.document().at("components schemas \(path)").number == limit)
    }

    private static let body = "post requestBody content application/json schema properties"

    private static let callLimits: [(String, Int)] = [
        ("/v1/push/missed get parameters limit schema default", MissedRoute.maximumLimit),
        ("/v1/activity get parameters limit schema default", ActivityRoutes.defaultLimit),
        ("/v1/activity/refresh \(body) ids maxItems", ActivityRoutes.refreshedAtOnce),
        ("/payments/by-sender get parameters limit schema default", MessageQuery.defaultLimit),
        ("/contextual-messages/by-inbox get parameters limit schema default", MessageRoutes.defaultInboxLimit),
        ("/get-broadcasts get parameters limit schema default", MessageRoutes.defaultBroadcastLimit),
        ("/contextual-messages/by-sender get parameters alias schema maxLength", 2 * APILimits.aliasBytes),
        ("/self-stash/by-owner get parameters scope schema maxLength", 2 * APILimits.scopeBytes),
        ("/group-messages/by-blinded-group-ids \(body) queries maxItems", APILimits.batchedQueries),
        (
            "/group-messages/by-blinded-group-ids \(body) queries items properties limit default",
            MessageQuery.defaultLimit
        ),
        ("/group-messages/since \(body) blindedGroupIds maxItems", APILimits.mergedLists),
        ("/group-messages/since \(body) limit default", BatchRoutes.defaultLimit),
        ("/group-control/since \(body) senders maxItems", APILimits.mergedLists),
        ("/group-control/since \(body) limit default", BatchRoutes.defaultLimit),
    ]

    @Test("a limit of a call is the code's", arguments: callLimits)
    func calls(path: String, limit: Int) throws {
        #expect(try DocumentValue.document().at("paths \(path)").number == limit)
    }

    private static let limitSentences: [(String, String)] = [
        ("components responses TargetTooLong", "longer than \(APILimits.targetBytes) bytes."),
        ("components responses HeadersTooLarge", "longer than \(APILimits.headerBytes) bytes together."),
        (
            "components responses TooLarge",
            "larger than \(APILimits.bodyBytes / 1024) KiB, or \(APILimits.registrationBodyBytes / 1024) KiB in calls"
        ),
        (
            "components responses TooSlow",
            "longer than \(APIConfiguration(network: .mainnet).bodyTimeout.components.seconds) seconds."
        ),
        ("paths /status/stream get", "At most \(APILimits.statusStreams) streams are open."),
        ("paths /v1/push/challenge post", "good for \(Nonces.lifetime / 1000) seconds"),
        ("paths /v1/push/challenge get", "good for \(Nonces.lifetime / 1000) seconds"),
        ("components parameters Limit", "A number above \(MessageQuery.maximumLimit) is \(MessageQuery.maximumLimit)."),
        ("paths /v1/activity get parameters limit", "More than \(ActivityRoutes.maximumLimit) are"),
        ("paths /v1/push/missed get parameters limit", "A number above \(MissedRoute.maximumLimit) is"),
        ("paths /get-broadcasts get parameters limit", "A number above \(MessageRoutes.maximumTimeLimit) is"),
        (
            "paths /contextual-messages/by-inbox get parameters limit",
            "A number above \(MessageRoutes.maximumTimeLimit) is"
        ),
        ("paths /group-messages/since \(body) limit", "A number above \(BatchRoutes.maximumLimit) is"),
        ("paths /group-control/since \(body) limit", "A number above \(BatchRoutes.maximumLimit) is"),
    ]

    @Test("a limit in a sentence is the code's", arguments: limitSentences)
    func sentences(path: String, words: String) throws {
        let text = try #require(try DocumentValue.document().at("\(path) description").text)
        #expect(text.contains(words), "\(text)")
    }

    @Test("the greatest number of any request is the greatest that the code reads")
    func greatest() throws {
        let maximums = try DocumentValue.document().all("maximum")
        #expect(maximums.count > 10)
        for maximum in maximums { #expect(maximum as? UInt64 == .max) }
    }

    // MARK: Names

    private static let platforms = DeviceRecord.Platform.all.map(\.label)
    private static let kinds = OperationKind.allCases.map(\.description)

    private static let enumerations: [(String, [String])] = [
        ("ActivityType", kinds + [ActivityAnswer.transfer]),
        ("Message properties kind", kinds),
        ("RegistrationStatus properties platform", platforms),
        ("Devices properties devices items properties platform", platforms),
        ("ActivityItem properties direction", ActivityDirection.allCases.map(\.rawValue)),
        ("ActivityItem properties status", ActivityStatus.allCases.map(\.rawValue)),
        ("TransactionStatus properties status", ActivityStatus.allCases.map(\.rawValue) + ["unknown"]),
    ]

    @Test("the names of kinds, directions and states are the code's", arguments: enumerations)
    func names(path: String, names: [String]) throws {
        let found = try #require(try DocumentValue.document().at("components schemas \(path) enum").texts)
        #expect(found.sorted() == names.sorted())
    }

    @Test(
        "a filter of the activity takes each name that the code knows, several of them, and no other",
        arguments: [
            ("types", kinds + [ActivityAnswer.transfer]), ("direction", ActivityDirection.allCases.map(\.rawValue)),
            ("status", ActivityStatus.allCases.map(\.rawValue)), ("include", ["transfers"]),
        ])
    func filters(parameter: String, names: [String]) throws {
        let schema = try DocumentValue.document().at("paths /v1/activity get parameters \(parameter) schema")
        let pattern = try Regex(try #require(schema.at("pattern").text))
        for text in names + ["", names.joined(separator: ",")] {
            #expect(text.wholeMatch(of: pattern) != nil, "\(text)")
        }
        for text in ["unknown", names[0] + ",", "," + names[0], names[0] + " ", names[0].uppercased()] {
            #expect(text.wholeMatch(of: pattern) == nil, "\(text)")
        }
    }

    @Test("every call may refuse a long target and long headers, under a shared answer")
    func refusals() throws {
        let document = try DocumentValue.document()
        for (path, calls) in try document.at("paths").members {
            for (method, call) in calls.members {
                let responses = try call.at("responses").members
                for (status, name) in [("414", "TargetTooLong"), ("431", "HeadersTooLarge")] {
                    #expect(
                        responses[status]?.members["$ref"]?.text == "#/components/responses/\(name)",
                        "\(method) \(path) \(status)")
                }
            }
        }
    }
}
