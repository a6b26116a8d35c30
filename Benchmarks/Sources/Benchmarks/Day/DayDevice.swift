import Crypto
import Foundation
import Kaspa

/// A phone of the day: it has one of the generated wallets and knows some others.
struct DayDevice {
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
        let path = "/v1/push/register"
        return try call("POST", path, http, watched: [own] + contacts, primary: own)
    }

    /// Unregisters with a signature; whether the answer is 200.
    func unregister(_ http: LocalHTTP) throws -> Bool {
        try call("DELETE", "/v1/push/unregister", http)
    }

    /// The rules of who is told, written down a second time.
    func isTold(of operation: DayOperation) -> Bool {
        switch operation.kind {
        case "contextual_message": operation.sender != own && contacts.contains(operation.sender)
        case "payment", "handshake": operation.receiver == own && operation.sender != own
        default: false
        }
    }

    private func call(
        _ method: String, _ path: String, _ http: LocalHTTP, watched: [Address] = [], primary: Address? = nil
    ) throws -> Bool {
        guard let challenge = http.send("POST", "/v1/push/challenge", Data()), challenge.status == 200 else {
            return false
        }
        var body: [String: Any] = ["device_token": token]
        body["auth"] = try wallet.authentication(
            challenge: challenge.body, method: method, path: path, token: token, watched: watched, primary: primary)
        if let primary {
            body["platform"] = "ios"
            body["watched_addresses"] = watched.map(\.description)
            body["primary_address"] = primary.description
        }
        return http.send(method, path, try JSONSerialization.data(withJSONObject: body))?.status == 200
    }
}
