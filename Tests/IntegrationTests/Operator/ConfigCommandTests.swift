import Foundation
import Testing

/// `config`: the real executable.
@Suite("config, as a command", .timeLimit(.minutes(10)))
struct ConfigCommandTests {
    @Test("a sound configuration is exit code 0, and is printed with its origins")
    func sound() async throws {
        let check = try await Executable.run(["config", "check"], environment: ["HTTP_PORT": "9000"])
        #expect(check.status == 0 && check.output == "The configuration is sound: no file, 1 key set.\n")
        let printed = try await Executable.run(["config", "print"], environment: ["HTTP_PORT": "9000"])
        #expect(printed.status == 0 && printed.output.contains("  port: 9000  # environment HTTP_PORT\n"))
        #expect(printed.output.contains("  auth_mode: mixed  # default\n"))
    }

    @Test("every mistake is one line, and the exit code 78", arguments: ["check", "print"])
    func mistakes(command: String) async throws {
        let result = try await Executable.run(
            ["config", command], environment: ["HTTP_PORT": "x", "LOG_LEVEL": "loud", "APNS_TOPIC": "a.b"])
        #expect(result.status == 78)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 5)
        for key in ["http.port", "log.level", "apns.team_id", "apns.key_id", "apns.key_path"] {
            #expect(
                lines.filter { $0.hasPrefix(key) }.count == 1 || lines.contains { $0.contains("\(key) ") }, "\(key)")
        }
    }
}
