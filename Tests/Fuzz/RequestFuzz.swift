import HTTPTypes
import Kaspa

/// Reads whatever libFuzzer comes up with as the body of each call: it must be a registration, or an error in words.
///
/// Built by `Tests/Fuzz/run.sh` and by nothing else.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = Array(UnsafeBufferPointer(start: bytes, count: count))
    let members: [String: JSONValue]
    do {
        guard case .object(let object) = try JSONParser.parse(body) else { return 0 }
        members = object
    } catch {
        if error.sentence.isEmpty { fatalError("an error without words") }
        return 0
    }
    let request = RegistrationRequest(members: members, network: .mainnet)
    for needsPlatform in [true, false] {
        read {
            let registration = try request.registration(needsPlatform: needsPlatform)
            check(registration)
            _ = try request.auth()
            for version in [AuthObject.Version.one, .two] {
                read { check(try registration.signed(with: version, hasGroupIDs: request.hasGroupIDs)) }
            }
        }
    }
    read { _ = try request.deviceToken() }
    read { _ = try request.auth() }
    return 0
}

/// Every refusal is the client's, and one line.
private func read(_ body: () throws -> Void) {
    do {
        try body()
    } catch let error as APIError {
        guard [400, 401].contains(error.status.code), !error.message.isEmpty, !error.message.contains("\n") else {
            fatalError("a refusal that is none: \(error)")
        }
    } catch {
        fatalError("an error of another kind: \(error)")
    }
}

/// Whatever is accepted is within the API's limits.
private func check(_ registration: Registration) {
    let isSound =
        (32...256).contains(registration.token.count) && registration.watchedAddresses.count <= 256
        && Set(registration.watchedAddresses).count == registration.watchedAddresses.count
        && registration.aliases.count <= 256 && registration.aliases.allSatisfy { (1...64).contains($0.count) }
        && registration.watchedGroupIDs.count <= 256 && registration.watchedGroupIDs.allSatisfy { $0.count == 32 }
        && registration.capabilities.count <= 32
        && registration.capabilities.allSatisfy { (1...64).contains($0.utf8.count) }
        && (!registration.watchedAddresses.isEmpty || !registration.watchedGroupIDs.isEmpty
            || registration.primaryAddress != nil)
    if !isSound { fatalError("a registration beyond the limits") }
}
