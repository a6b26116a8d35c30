// The key chain and the App Group's folder, which app and extension share.
#if canImport(Security)
import Foundation
import Security

/// Secrets in the key chain: readable after the first unlock, and never on another device.
struct KeyChain: SecretStore {
    func read(_ name: String) throws -> [UInt8]? {
        var query = KeyChain.query(name)
        query[kSecReturnData] = true
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = item as? Data else { throw KeyChain.error(status) }
        return Array(data)
    }

    func write(_ secret: [UInt8], _ name: String) throws {
        let value: [CFString: Any] = [
            kSecValueData: Data(secret), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(KeyChain.query(name) as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(KeyChain.query(name).merging(value) { $1 } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw KeyChain.error(status) }
    }

    private static func query(_ name: String) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "push", kSecAttrAccount: name,
            kSecAttrAccessGroup: Example.keyChainGroup, kSecUseDataProtectionKeychain: true,
        ]
    }

    private static func error(_ status: OSStatus) -> NSError {
        NSError(domain: NSOSStatusErrorDomain, code: Int(status))
    }
}

/// Where the store is that app and extension share.
func sharedStorePath() throws -> String {
    let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: Example.appGroup)
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return folder.appendingPathComponent("push.sqlite").path
}

/// Where the app keeps its states: not in backups, since they belong to this phone and its token.
func stateFolder() throws -> URL {
    var folder = try FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    folder.appendPathComponent("Push", isDirectory: true)
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true,
        attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try folder.setResourceValues(values)
    return folder
}
#endif
