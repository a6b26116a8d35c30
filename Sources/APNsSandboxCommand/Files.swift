import ArgumentParser
import FoundationEssentials

/// Small files, with errors that name them.
enum Files {
    static func read(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("The file \(path) cannot be read.")
        }
        return Array(data)
    }

    static func write(_ text: String, to path: String, isPrivate: Bool = false) throws {
        let attributes: [FileAttributeKey: Any] = isPrivate ? [.posixPermissions: 0o600] : [:]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes) else {
            throw ValidationError("The file \(path) cannot be written.")
        }
    }
}
