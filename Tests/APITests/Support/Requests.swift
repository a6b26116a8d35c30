import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Kaspa
import NIOCore
import Testing

@testable import API

/// A token as apps send it, and the same in the store's spelling.
let token = String(repeating: "0123456789abcdef", count: 4)

/// Different valid tokens.
func deviceToken(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

/// A registration token of FCM.
let fcmToken = "dV3nT9xKQ0mYb7cLwR2hZs:APA91b" + String(repeating: "Gq0uJ4kXf6_-", count: 9)

/// Different valid addresses of mainnet.
func addresses(_ count: Int, prefix: AddressPrefix = .kaspa) throws -> [String] {
    try (0..<count).map { number in
        let payload = [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 7, count: 30)
        return try #require(Address(prefix: prefix, version: .schnorr, payload: payload)).description
    }
}

/// A registration that is accepted, with members replaced or, by nil, left out.
func registration(_ changes: [String: Any?] = [:]) throws -> [String: Any] {
    var members: [String: Any] = ["device_token": token, "platform": "ios", "watched_addresses": try addresses(1)]
    for (name, value) in changes { members[name] = value }
    return members
}

extension TestClientProtocol {
    /// Sends an object as JSON.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ object: [String: Any], headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await send(
            method, uri, bytes: [UInt8](try JSONSerialization.data(withJSONObject: object)), headers: headers)
    }

    /// Sends bytes under the name of JSON.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, bytes: [UInt8], headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "application/json" }
        return try await execute(uri: uri, method: method, headers: headers, body: ByteBuffer(bytes: bytes))
    }

    func register(_ changes: [String: Any?] = [:]) async throws -> TestResponse {
        try await send(.post, "/v1/push/register", try registration(changes))
    }

    func status(_ token: String = token) async throws -> TestResponse {
        try await execute(uri: "/v1/push/status?device_token=\(token)", method: .get)
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The sentence of an error; checks that it is JSON, and that its code fits its status.
    func error(_ location: SourceLocation = #_sourceLocation) throws -> String {
        #expect(headers[.contentType] == "application/json", sourceLocation: location)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(buffer: body)) as? [String: String], sourceLocation: location)
        let code = try #require(object["code"].flatMap(ErrorCode.init(rawValue:)), sourceLocation: location)
        let general = ErrorCode(status)
        let special: [ErrorCode: [ErrorCode]] = [
            .authRequired: [.wrongSignature, .freshNonceNeeded, .wrongTime, .boundElsewhere, .staleCounter],
            .unavailable: [.full], .invalidRequest: [.carrierNotConfigured],
        ]
        #expect(code == general || special[general]?.contains(code) == true, sourceLocation: location)
        #expect(object["expected_text"] == nil || code == .wrongSignature, sourceLocation: location)
        #expect(object.count == (object["expected_text"] == nil ? 2 : 3), sourceLocation: location)
        return try #require(object["error"], sourceLocation: location)
    }
}

extension Data {
    init(buffer: ByteBuffer) { self.init(buffer.readableBytesView) }
}

/// Checks status and sentence of a refusal.
func expect(
    _ response: TestResponse, _ status: HTTPResponse.Status, _ part: String,
    _ location: SourceLocation = #_sourceLocation
) throws {
    #expect(response.status == status, sourceLocation: location)
    let sentence = try response.error(location)
    #expect(sentence.contains(part), "\(sentence)", sourceLocation: location)
}

/// Checks that a change succeeded.
func expectDone(_ response: TestResponse, _ location: SourceLocation = #_sourceLocation) {
    #expect(response.status == .ok, "\(response.text)", sourceLocation: location)
    #expect(response.text == #"{"status":"ok"}"#, sourceLocation: location)
    #expect(response.headers[.contentType] == "application/json", sourceLocation: location)
}
