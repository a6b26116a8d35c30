import APNs
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Stores the provider token of commands in a file beside the store's folder, as long as there is no store.
///
/// Apple refuses a team that makes several tokens within 20 minutes. So `doctor` and `push test` on a new machine must
/// use the same token, and so must the service's first start.
struct ProviderTokenFile: ProviderTokenStorage {
    /// The largest file, in bytes.
    ///
    /// A token has some 500.
    private static let longest = 16_384

    /// The possible paths, the best first: beside the store's folder, or in it if this user cannot write beside it.
    private let paths: [String]
    private let owner: FileOwner?

    init(storePath: String) {
        let folder = storePath.count > 1 && storePath.hasSuffix("/") ? String(storePath.dropLast()) : storePath
        paths = [folder + ".provider-token", folder + "/provider-token"]
        owner = FileOwner.ofStore(at: folder)
    }

    /// The newest token; nil also if a file cannot be read or holds no token.
    ///
    /// Then a new token replaces it.
    func load() async -> StoredProviderToken? {
        paths.compactMap(token).max { $0.issuedAt < $1.issuedAt }
    }

    /// Stores it so that only the service's user can read it.
    ///
    /// Errors: the system's error for the best path.
    func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken {
        let data = try JSONEncoder().encode(token)
        var failure: (any Error)?
        for path in paths {
            do {
                try write(data, to: path)
                return token
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return token
    }

    func remove() {
        for path in paths { unlink(path) }
    }

    private func token(_ path: String) -> StoredProviderToken? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // In a directory that others can write to, one of them could leave a token that Apple refuses.
        guard let user = FileOwner(descriptor: descriptor)?.user, [0, geteuid(), owner?.user].contains(user) else {
            return nil
        }
        guard let data = try? file.read(upToCount: ProviderTokenFile.longest) else { return nil }
        return try? JSONDecoder().decode(StoredProviderToken.self, from: data)
    }

    private func write(_ data: Data, to path: String) throws {
        let fresh = "\(path).\(UUID().uuidString)"
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ProviderTokenFile.error(fresh) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
            if let owner, fchown(descriptor, owner.user, owner.group) != 0 { throw ProviderTokenFile.error(fresh) }
            guard rename(fresh, path) == 0 else { throw ProviderTokenFile.error(path) }
        } catch {
            unlink(fresh)
            throw error
        }
    }

    private static func error(_ path: String) -> StartError {
        StartError(description: "\(path): \(String(cString: strerror(errno)))")
    }
}
