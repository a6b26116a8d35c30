import Carriers
import Foundation

/// Checks the key that signs pushes, and who can read the files of keys.
struct KeyFileCheck: Sendable {
    let configuration: IndexerConfiguration

    func findings() -> [Finding] { [signing()] + files.compactMap(KeyFileCheck.exposure) }

    private func signing() -> Finding {
        guard let key = configuration.push.signingKey else {
            return Finding(.ok, "signing key", "not configured: pushes are not signed")
        }
        do {
            let id = try SigningKey(pem: key.text.revealed).publicKey.keyID
            return Finding(.ok, "signing key", "\(key.path ?? "") can be read, key id \(id)")
        } catch {
            return Finding(.fail, "signing key", "\(error)", todo: "make one with kasia-push-indexer signing-key new")
        }
    }

    private var files: [String] {
        [
            configuration.push.signingKey?.path, configuration.apns?.key.path, configuration.fcm?.serviceAccountPath,
            configuration.webPush?.vapidKeyPath, configuration.http.tls?.keyPath, configuration.store.passwordPath,
        ].compactMap { $0 }
    }

    /// nil for a file that not everybody can read.
    private static func exposure(of path: String) -> Finding? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: path).resolvingSymlinksInPath().path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o004 != 0 else { return nil }
        return Finding(
            .warn, "key permissions", "the mode of \(path) lets every user of this machine read it",
            todo: "chmod 600 \(path)")
    }
}
