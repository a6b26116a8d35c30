#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads files that should be small.
enum SmallFile {
    /// Why a file was not read; the description completes "cannot be read: …".
    enum Failure: Error, Hashable, CustomStringConvertible {
        case missing
        case directory
        case tooLarge(limit: Int)
        case notText
        case system(String)

        var description: String {
            switch self {
            case .missing: "there is no such file"
            case .directory: "it is a directory"
            case .tooLarge(let limit): "it is larger than \(limit) bytes"
            case .notText: "it is not UTF-8 text"
            case .system(let reason): "it cannot be read: \(reason)"
            }
        }
    }

    /// Reads a file's text.
    ///
    /// - Parameters:
    ///   - path: The file, relative to the working directory.
    ///   - limit: How many bytes it may have; no more than this and one are read.
    /// - Returns: The whole text.
    /// - Throws: The system's error, or that the file is too large or not UTF-8.
    static func text(at path: String, limit: Int) throws(Failure) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .missing }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }

        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(errno)
            }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text
    }

    private static func failure(_ code: CInt) -> Failure {
        switch code {
        case ENOENT, ENOTDIR: .missing
        case EISDIR: .directory
        default: .system(String(cString: strerror(code)))
        }
    }
}
