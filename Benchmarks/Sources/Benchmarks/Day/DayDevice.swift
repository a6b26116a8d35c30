import Crypto
import Foundation
import Kaspa

/// A phone: it watches an address of its own and some of others, and has a wallet that signs its calls.
struct DayDevice {
    static let registering = "/v1/push/register"

    let token: String
    let own: Address
    let contacts: [Address]
    let wallet: AppWallet

    init(_ name: String, own: Address, contacts: [Address]) throws {
        token = Hex.encode(SHA256.hash(data: Data("\(name) token".utf8)))
        self.own = own
        self.contacts = contacts
        wallet = try AppWallet(name)
    }

    /// Registers with a signature; whether the answer is 200.
    func register(_ http: LocalHTTP) throws -> Bool {
        guard let body = try registration(http) else { return false }
        return http.send("POST", Self.registering, body)?.status == 200
    }

    /// The body that registers, signed for a challenge that it asks for; nil if it gets none.
    func registration(_ http: LocalHTTP) throws -> Data? {
        let watched = [own] + contacts
        guard var body = try signed("POST", Self.registering, http, watched: watched, primary: own) else { return nil }
        body["platform"] = "ios"
        body["watched_addresses"] = watched.map(\.description)
        body["primary_address"] = own.description
        return try JSONSerialization.data(withJSONObject: body)
    }

    /// Unregisters with a signature; whether the answer is 200.
    func unregister(_ http: LocalHTTP) throws -> Bool {
        let path = "/v1/push/unregister"
        guard let body = try signed("DELETE", path, http) else { return false }
        return http.send("DELETE", path, try JSONSerialization.data(withJSONObject: body))?.status == 200
    }

    /// The rules of who is told, written down a second time.
    func isTold(of operation: DayOperation) -> Bool {
        switch operation.kind {
        case "contextual_message": operation.sender != own && contacts.contains(operation.sender)
        case "payment", "handshake": operation.receiver == own && operation.sender != own
        default: false
        }
    }

    private func signed(
        _ method: String, _ path: String, _ http: LocalHTTP, watched: [Address] = [], primary: Address? = nil
    ) throws -> [String: Any]? {
        guard let challenge = http.send("POST", "/v1/push/challenge", Data()), challenge.status == 200 else {
            return nil
        }
        return [
            "device_token": token,
            "auth": try wallet.authentication(
                challenge: challenge.body, method: method, path: path, token: token, watched: watched, primary: primary),
        ]
    }
}
