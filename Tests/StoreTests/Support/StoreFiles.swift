import Foundation
import Kaspa

@testable import Store

/// A store's directory, looked at from outside.
struct StoreFiles {
    let path: String

    /// The newest write-ahead log.
    func newestLog() throws -> String {
        let logs = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".log") }
        return path + "/" + (logs.max() ?? "")
    }

    /// How long the newest log is now.
    func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: newestLog())
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    func truncateLog(to size: Int) throws {
        let log = try FileHandle(forWritingTo: URL(filePath: newestLog()))
        try log.truncate(atOffset: UInt64(size))
        try log.close()
    }

    /// Turns the bits of one byte of the log.
    func damageLog(at offset: Int) throws {
        let file = URL(filePath: try newestLog())
        var bytes = try Data(contentsOf: file)
        bytes[offset] ^= 0xff
        try bytes.write(to: file)
    }

    /// Opens the store once the last user of it has let go, which may be a moment after its last call returned.
    func open(network: Network = .mainnet) async throws -> Store {
        while true {
            let result = Result { () throws(StoreError) in try Store(path: path, network: network) }
            guard case .failure(let error) = result, error.code == .locked else { return try result.get() }
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
