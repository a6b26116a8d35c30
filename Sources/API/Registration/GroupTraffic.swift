import Push
import Store

/// What a registration needs for group messages: the capability and a signature of the primary address's owner.
extension Registration {
    var wantsGroups: Bool { capabilities.contains(DeviceRecord.groupCapability) }

    /// Errors: 401 for group ids and capabilities, which need a proven wallet.
    func checkUnsigned() throws {
        guard watchedGroupIDs.isEmpty, capabilities.isEmpty else {
            throw APIError.unauthorized("watched_group_ids and capabilities need a signed request (auth)")
        }
    }

    /// The registration as far as the signature's version covers it.
    ///
    /// Errors: 400 for members that this version cannot sign.
    func signed(with version: AuthObject.Version, hasGroupIDs: Bool) throws -> Registration {
        guard !aliases.contains(where: { $0.contains(UInt8(ascii: "\n")) }) else {
            // Lists are joined by line breaks before they are hashed, so two different lists could have one signature.
            throw APIError.badRequest("aliases with a line break cannot be signed")
        }
        var registration = self
        switch version {
        case .one:
            // Version 1 does not sign capabilities. Only those that the group ids imply are allowed.
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
