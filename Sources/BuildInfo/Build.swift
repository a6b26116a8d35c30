internal import CRevision

/// Which program this is; the same for all three executables.
package enum Build {
    /// The version.
    package static let version = "1.0.0"

    /// The commit that it was built from, as git describes it; `unknown` where the build was not told.
    package static let revision = String(cString: crevision())

    /// The Swift version of the standard library that it runs with, for example `6.3`.
    package static let swift: String = {
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) else { return "unknown" }
        // Of the third number the library does not know.
        return "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
    }()

    /// All of it in a line, for `--version`, `/status.json` and `/`.
    package static let text = "\(version) (revision \(revision), Swift \(swift))"
}
