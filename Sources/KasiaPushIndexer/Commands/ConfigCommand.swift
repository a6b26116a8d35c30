import API
import APNs
import ArgumentParser
import KaspaNode

/// `kasia-push-indexer config`: what the settings are, and whether they are right.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the configuration, or print what is in effect.",
        subcommands: [Check.self, Print.self])

    /// `config check`: everything that can be said before a start.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say every mistake in one line each; the exit code is 0 without, else 78.",
            discussion: "Keys and certificates are read too. Nothing is connected: that is for doctor.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let traced = try options.traced()
            let problems = ConfigurationProof.problems(of: traced)
            for problem in problems { StandardError.say("\(problem)") }
            guard problems.isEmpty else { throw ExitCode.configuration }
            let set = traced.origins.values.filter { $0 != .unset }.count
            print("The configuration is sound: \(traced.file ?? "no file"), \(Counted(set, "key")) set.")
        }
    }

    /// `config print`: every key with its value and where that comes from.
    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every key as it is in effect, and where its value comes from; secrets are masked.",
            discussion: "The output is a configuration file; only a masked secret has to be put in again.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            print(try options.traced().yaml, terminator: "")
        }
    }
}

/// What only shows when the values are used: keys that are no keys, a certificate of another key.
enum ConfigurationProof {
    static func problems(of traced: TracedConfiguration) -> [ConfigurationProblem] {
        [node(traced), tls(traced), apns(traced)].compactMap { $0 }
    }

    private static func node(_ traced: TracedConfiguration) -> ConfigurationProblem? {
        do {
            try NodeConfiguration(traced.configuration).checkAuthority()
            return nil
        } catch {
            return problem(.nodeCAPath, in: traced, "\(error)")
        }
    }

    private static func apns(_ traced: TracedConfiguration) -> ConfigurationProblem? {
        guard let apns = traced.configuration.apns else { return nil }
        do {
            _ = try ProviderTokenSource(
                teamID: apns.teamID, keyID: apns.keyID, privateKeyPEM: apns.key.pem.revealed, storage: NoStorage())
            return nil
        } catch {
            let key: ConfigurationKey =
                error.code == .invalidIdentifier ? .apnsTeamID : apns.key.path == nil ? .apnsKey : .apnsKeyPath
            return problem(key, in: traced, "\(error)")
        }
    }

    private static func tls(_ traced: TracedConfiguration) -> ConfigurationProblem? {
        guard let files = traced.configuration.http.tls else { return nil }
        do {
            _ = try TLSIdentity(certificatePath: files.certificatePath, keyPath: files.keyPath)
            return nil
        } catch {
            return problem(.httpTLSCertificatePath, in: traced, "\(error)")
        }
    }

    private static func problem(
        _ key: ConfigurationKey, in traced: TracedConfiguration, _ text: String
    ) -> ConfigurationProblem {
        let origin = traced.origins[key] ?? .unset
        return ConfigurationProblem(subject: "\(key.rawValue) (\(origin))", text: ConfigurationProblem.oneLine(text))
    }

    private struct NoStorage: ProviderTokenStorage {
        func load() async throws -> StoredProviderToken? { nil }
        func save(_ token: StoredProviderToken) async throws {}
    }
}
