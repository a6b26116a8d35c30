import Foundation

/// Lines for whoever runs a command; results go to the standard output.
enum StandardError {
    static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
