import APNsSandbox
import ArgumentParser

/// The keys that the command line names or has made.
struct KeyFiles {
    let teamID: String
    private(set) var keys: [String: String] = [:]

    /// Reads `files` (each `ID=PATH`), and makes a key for `newFile`.
    ///
    /// - Throws: `ValidationError` for a malformed or repeated id, an error that names the file if it cannot be used.
    init(teamID: String?, files: [String], newFile: String?) throws {
        let made = SandboxCredentials.generate()
        self.teamID = teamID ?? made.teamID
        for file in files {
            let parts = file.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--key \(file) must have the form ID=FILE.")
            }
            guard keys[parts[0]] == nil else { throw ValidationError("--key \(parts[0]) is given twice.") }
            keys[parts[0]] = String(decoding: try Files.read(parts[1]), as: UTF8.self)
        }
        if let newFile {
            try Files.write(made.privateKeyPEM + "\n", to: newFile, isPrivate: true)
            keys[made.keyID] = made.privateKeyPEM
        }
    }
}
