import Foundation
import JSON
import KasiaPushClient
import Testing

/// The client's requests and answers against the service's own description of them.
@Suite struct DocumentTests {
    let document: APIDocument

    init() throws {
        document = try APIDocument.shared.get()
    }

    @Test("Every operation of the document has a call, and every call an operation")
    func everyOperation() {
        #expect(DocumentedCall.all.map(\.operation).sorted() == document.operations.map(\.id))
    }

    @Test("Requests are as the document says, and can send all that it names", arguments: DocumentedCall.all)
    func requests(_ call: DocumentedCall) async throws {
        let operation = try #require(document.operations.first { $0.id == call.operation })
        var sent: Set<String> = []
        for isFull in [true, false] {
            let requests = Requests()
            _ = try await call.make(client(answering: operation, .full, requests), isFull)
            let request = try #require(requests.all.first)
            #expect(requests.all.count == 1)
            #expect(request.method == operation.method)
            #expect(document.operation(request.method, request.url.path)?.id == operation.id)
            sent.formUnion(try check(request, operation))
        }
        #expect(sent == named(operation).subtracting(DocumentTests.unused))
    }

    @Test(
        "Answers are read whole, whatever optional members they have", arguments: DocumentedCall.all,
        SchemaSample.Extent.allCases)
    func answers(
        _ call: DocumentedCall, _ extent: SchemaSample.Extent
    ) async throws {
        let operation = try #require(document.operations.first { $0.id == call.operation })
        let requests = Requests()
        let value = try await call.make(client(answering: operation, extent, requests), false)
        guard let value else { return }
        let answer = try #require(requests.answer)
        let whole = call.member.map { answer[$0] } ?? answer
        let read = try JSONParser.parse(Array(JSONEncoder().encode(value)))
        // A body without the member `status`, which the client looks at itself.
        var expected = whole.withoutNulls
        if call.operation.hasPrefix("register") || call.operation.hasPrefix("update") {
            expected = .object(expected.members.filter { $0.key != "status" })
        }
        #expect(read.withoutNulls == expected)
    }

    @Test(
        "A message of each kind is read as its row",
        arguments: [
            ("contextual_message", "ContextualMessage"), ("payment", "Payment"), ("handshake", "Handshake"),
            ("self_stash", "SelfStash"), ("group_message", "GroupMessage"), ("group_control", "GroupControl"),
            ("broadcast", "Broadcast"),
        ])
    func messageOfEachKind(_ kind: String, _ schema: String) async throws {
        for extent in SchemaSample.Extent.allCases {
            let sample = SchemaSample(document: document, extent: extent)
            var members = try sample.value(document.schema(schema)).members
            members["kind"] = .string(kind)
            let answer = JSONValue.object(members)
            #expect(SchemaCheck(document: document).problems(answer, document.schema("Message")) == [])
            let message = try await client(answering: answer).message(String(repeating: "0f", count: 32))
            #expect(message.kind == kind)
            #expect(message.row?.blockTime == members["block_time"]?.count.map { UInt64($0) })
            let read = try JSONParser.parse(Array(JSONEncoder().encode(message)))
            #expect(read.withoutNulls == answer.withoutNulls)
        }
        let kinds = document.schema("Message")["properties"]["kind"]["enum"].elements.compactMap(\.text)
        #expect(kinds.contains(kind) && kinds.count == 7)
    }

    @Test("Every code of an error has a name")
    func errorCodes() throws {
        let codes = document.schema("Error")["properties"]["code"]["enum"].elements.compactMap(\.text)
        let named: [IndexerErrorCode] = [
            .invalidRequest, .carrierNotConfigured, .authRequired, .wrongSignature, .freshNonceNeeded, .wrongTime,
            .boundElsewhere, .staleCounter, .otherOrigin, .notFound, .methodNotAllowed, .tooSlow, .tooLarge,
            .wrongContentType, .wrongHost, .tooManyRequests, .internalError, .full, .unavailable,
        ]
        #expect(Set(named.map(\.rawValue)) == Set(codes))
    }

    /// What the document names and no call sends: second names of what is sent, and a member that nobody looks at.
    private static let unused: Set = [
        "groupControlBySender address", "groupControlByRecipient address", "activityStream last_event_id",
        "ring timestamp",
    ]

    /// Checks a request, and returns the names of what it sends.
    private func check(_ request: TransportRequest, _ operation: APIDocument.Operation) throws -> Set<String> {
        let check = SchemaCheck(document: document)
        var sent: Set<String> = []
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        for parameter in operation.parameters {
            let value =
                switch parameter.place {
                case "header": request.headers[parameter.name]
                case "path": request.url.lastPathComponent
                default: items.first { $0.name == parameter.name }?.value
                }
            guard let value else {
                #expect(!parameter.isRequired, "\(operation.id) has no \(parameter.name)")
                continue
            }
            sent.insert("\(operation.id) \(parameter.name)")
            let isInteger = document.resolved(parameter.schema)["type"] == .string("integer")
            let json = isInteger ? UInt64(value).map { JSONValue.integer($0) } : .string(value)
            #expect(check.problems(try #require(json), parameter.schema, at: parameter.name) == [])
        }
        let known = Set(operation.parameters.filter { $0.place == "query" }.map(\.name))
        #expect(Set(items.map(\.name)).isSubset(of: known))
        guard let schema = operation.body else {
            #expect(request.body == nil)
            return sent
        }
        #expect(request.headers["Content-Type"] == "application/json")
        let body = try JSONParser.parse(Array(try #require(request.body)))
        #expect(check.problems(body, schema, at: operation.id) == [])
        return sent.union(body.members.keys.map { "\(operation.id) \($0)" })
    }

    /// The names of all that an operation can be sent.
    private func named(_ operation: APIDocument.Operation) -> Set<String> {
        let members = operation.body.map(memberNames) ?? []
        return Set((operation.parameters.map(\.name) + members).map { "\(operation.id) \($0)" })
    }

    private func memberNames(_ schema: JSONValue) -> [String] {
        let schema = document.resolved(schema)
        return Array(schema["properties"].members.keys) + schema["allOf"].elements.flatMap(memberNames)
    }

    private func client(
        answering operation: APIDocument.Operation, _ extent: SchemaSample.Extent, _ requests: Requests
    ) throws -> IndexerClient {
        let sample = SchemaSample(document: document, extent: extent)
        let (type, schema) = operation.answer
        let transport: ScriptedTransport
        switch (type, operation.id) {
        case ("application/json", "message"):
            // Its schema says that it has the members of any kind; of each kind, see below.
            var members = try sample.value(document.schema("Payment")).members
            members["kind"] = .string("payment")
            transport = requests.transport(answering: .object(members))
        case ("application/json", _):
            transport = requests.transport(answering: try sample.value(schema))
        case ("text/event-stream", "activityStream"):
            let item = try sample.value(document.schema("ActivityItem"))
            transport = requests.transport(streaming: item, as: "activity")
        case ("text/event-stream", "statusStream"):
            var members = try sample.value(document.schema("ServiceStatus")).members
            members["history"] = nil
            transport = requests.transport(streaming: .object(members), as: "status")
        default: transport = requests.transport(answering: .string("text"))
        }
        let url = try #require(URL(string: "https://push.example"))
        return try #require(IndexerClient(baseURL: url, transport: transport))
    }

    private func client(answering answer: JSONValue) throws -> IndexerClient {
        let transport = ScriptedTransport(200, [:], String(decoding: answer.data, as: UTF8.self))
        let url = try #require(URL(string: "https://push.example"))
        return try #require(IndexerClient(baseURL: url, transport: transport))
    }
}

/// The requests of one client, and the answer that all of them get.
private final class Requests: @unchecked Sendable {
    private let lock = NSLock()
    private var requests: [TransportRequest] = []
    private var sample: JSONValue?

    var all: [TransportRequest] { lock.withLock { requests } }
    /// The answer as the call's value should be when it is written again.
    var answer: JSONValue? { lock.withLock { sample } }

    func transport(answering answer: JSONValue) -> ScriptedTransport {
        lock.withLock { sample = answer }
        let body = answer.text.map { Data($0.utf8) } ?? answer.data
        var transport = ScriptedTransport()
        transport.onAnswer = { [self] request in
            lock.withLock { requests.append(request) }
            return TransportAnswer(status: 200, body: body)
        }
        return transport
    }

    func transport(streaming data: JSONValue, as name: String) -> ScriptedTransport {
        lock.withLock { sample = data }
        let events = "event: \(name)\ndata: \(String(decoding: data.data, as: UTF8.self))\n\n"
        var transport = ScriptedTransport()
        transport.onStream = { [self] request in
            lock.withLock { requests.append(request) }
            return TransportStream(events: events)
        }
        return transport
    }
}
