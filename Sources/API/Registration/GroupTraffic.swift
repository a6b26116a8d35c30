import Push
import Store

/// What group messages ask of a registration (registration-auth.md, "Challenge").
extension Registration {
    var wantsGroups: Bool { capabilities.contains(DeviceRecord.groupCapability) }

    /// Errors: 401: group ids and capabilities are for proven wallets only.
    func checkUnsigned() throws {
        guard watchedGroupIDs.isEmpty, capabilities.isEmpty else {
            throw APIError.unauthorized("watched_group_ids and capabilities need a signed request (auth)")
        }
    }

    /// The registration as the signature's version means it.
    ///
    /// Errors: 400 for what that version cannot sign.
    func signed(with version: AuthObject.Version, hasGroupIDs: Bool) throws -> Registration {
        guard !aliases.contains(where: { $0.contains(UInt8(ascii: "\n")) }) else {
            // Lists are joined by line breaks before they are hashed: two lists would have one signature.
            throw APIError.badRequest("aliases with a line break cannot be signed")
        }
        var registration = self
        switch version {
        case .one:
            // Not covered by the signature; what the group ids imply may be said.
            let implied = hasGroupIDs ? [DeviceRecord.groupCapability] : []
            guard capabilities.allSatisfy(implied.contains) else {
                throw APIError.badRequest("capabilities require auth_version=2")
            }
            registration.capabilities = implied
        case .two:
            guard watchedGroupIDs.isEmpty || wantsGroups else {
                throw APIError.badRequest(
                    "watched_group_ids require \(DeviceRecord.groupCapability) among the capabilities")
            }
        }
        return registration
    }
}
