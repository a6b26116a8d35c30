import Foundation

/// The table goes to standard output, everything else to standard error.
enum Terminal {
    static func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    static func progress(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
