import HTTP2Client

/// The header fields that all requests under one provider token share, for each kind of push.
struct RequestHeaders: Sendable {
    private let alert: SharedFields
    private let voip: SharedFields
    let generation: Int

    /// `generation` is the token's place in the order of the tokens used: 1, 2, 3 and so on.
    init(token: ProviderToken, generation: Int, topic: String) {
        func shared(topic: String, type: String) -> SharedFields {
            SharedFields(
                [
                    HeaderField("authorization", "bearer \(token.jwt)"), HeaderField("apns-topic", topic),
                    HeaderField("apns-push-type", type), HeaderField("apns-priority", "10"),
                    HeaderField("content-type", "application/json"),
                ], generation: generation)
        }
        self.generation = generation
        alert = shared(topic: topic, type: "alert")
        voip = shared(topic: "\(topic).voip", type: "voip")
    }

    subscript(_ kind: APNsRequest.Kind) -> SharedFields {
        switch kind {
        case .alert: alert
        case .voip: voip
        }
    }
}

extension HTTPRequest {
    /// What goes over the wire beside the shared fields.
    init(_ request: APNsRequest) {
        var fields = [HeaderField("apns-id", request.id)]
        switch request.kind {
        case .alert:
            fields += [
                HeaderField("apns-expiration", String(request.expiration)),
                HeaderField("apns-collapse-id", request.collapseID),
            ]
        case .voip: fields.append(HeaderField("apns-expiration", "0"))
        }
        self.init(path: "/3/device/\(request.deviceToken)", fields: fields, body: request.payload)
    }
}

extension APNsAnswer {
    /// The answers' header fields that mean something.
    static let fields = ["apns-id", "retry-after"]

    /// Reads an answer that came over the wire.
    init(_ answer: HTTPAnswer) {
        self.init(
            status: answer.status, body: answer.body, retryAfter: answer["retry-after"], apnsID: answer["apns-id"])
    }
}
