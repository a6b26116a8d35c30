import API
import APNs
import ArgumentParser
import Carriers
import FCM
import KaspaNode
import WebPush

/// `kasia-push-indexer config`: shows and checks the settings.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the configuration, or print what is in effect.",
        subcommands: [Check.self, Print.self])

    /// `config check`: everything that can be said before a start.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Report each mistake in one line. The exit code is 0 without mistakes, else 78.",
            discussion: "Keys and certificates are read too. No connection is made: doctor does that.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let loaded = try options.loaded()
            let problems = ConfigurationCheck.problems(of: loaded)
            for problem in problems { StandardError.say("\(problem)") }
            guard problems.isEmpty else { throw ExitCode.configuration }
            let set = loaded.origins.values.filter { $0 != .unset }.count
            print("The configuration is sound: \(loaded.file ?? "no file"), \(Counted(set, "key")) set.")
        }
    }

    /// `config print`: every key with its value and where that comes from.
    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every key with the value in effect and where it comes from; secrets are masked.",
            discussion: "The output is a configuration file; only masked secrets have to be filled in again.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            print(try options.loaded().yaml, terminator: "")
        }
    }
}

/// Mistakes that only show when the values are used: an invalid key, a certificate that does not match its key.
enum ConfigurationCheck {
    static func problems(of loaded: LoadedConfiguration) -> [ConfigurationProblem] {
        [node(loaded), tls(loaded), apns(loaded), fcm(loaded), webPush(loaded), signing(loaded)].compactMap { $0 }
    }

    private static func node(_ loaded: LoadedConfiguration) -> ConfigurationProblem? {
        do {
            try NodeConfiguration(loaded.configuration).checkAuthority()
            return nil
        } catch {
            return problem(.nodeCAPath, in: loaded, "\(error)")
        }
    }

    private static func apns(_ loaded: LoadedConfiguration) -> ConfigurationProblem? {
        guard let apns = loaded.configuration.apns else { return nil }
        do {
            _ = try ProviderTokenSource(
                teamID: apns.teamID, keyID: apns.keyID, privateKeyPEM: apns.key.pem.revealed, storage: NoStorage())
            return nil
        } catch {
            let key: ConfigurationKey =
                error.code == .invalidIdentifier ? .apnsTeamID : apns.key.path == nil ? .apnsKey : .apnsKeyPath
            return problem(key, in: loaded, "\(error)")
        }
    }

    private static func fcm(_ loaded: LoadedConfiguration) -> ConfigurationProblem? {
        guard let settings = loaded.configuration.fcm else { return nil }
        do {
            _ = try FCMConfiguration(settings, loaded.configuration.push)
            return nil
        } catch {
            let key: ConfigurationKey =
                settings.serviceAccountPath == nil ? .fcmServiceAccount : .fcmServiceAccountPath
            return problem(key, in: loaded, "\(error)")
        }
    }

    private static func webPush(_ loaded: LoadedConfiguration) -> ConfigurationProblem? {
        guard let settings = loaded.configuration.webPush else { return nil }
        do {
            _ = try WebPushConfiguration(settings, loaded.configuration.push)
            return nil
        } catch let error as OriginPatternError {
            return problem(.webPushAllowedOrigins, in: loaded, "\(error)")
        } catch {
            let key: ConfigurationKey = settings.vapidKeyPath == nil ? .webPushVAPIDKey : .webPushVAPIDKeyPath
            return problem(key, in: loaded, "\(error)")
        }
    }

    private static func signing(_ loaded: LoadedConfiguration) -> ConfigurationProblem? {
        guard let key = loaded.configuration.push.signingKey else { return nil }
        do {
            _ = try SigningKey(pem: key.text.revealed)
            return nil
        } catch {
            return problem(.pushSigningKeyPath, in: loaded, "\(error)")
        }
    }

    private static func tls(_ loaded: LoadedConfiguration) -> ConfigurationProblem? {
        guard let files = loaded.configuration.http.tls else { return nil }
        do {
            _ = try TLSIdentity(certificatePath: files.certificatePath, keyPath: files.keyPath)
            return nil
        } catch {
            return problem(.httpTLSCertificatePath, in: loaded, "\(error)")
        }
    }

    private static func problem(
        _ key: ConfigurationKey, in loaded: LoadedConfiguration, _ text: String
    ) -> ConfigurationProblem {
        let origin = loaded.origins[key] ?? .unset
        return ConfigurationProblem(subject: "\(key.rawValue) (\(origin))", text: ConfigurationProblem.oneLine(text))
    }

    private struct NoStorage: ProviderTokenStorage {
        func load() async throws -> StoredProviderToken? { nil }
        func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken
        {
            token
        }
    }
}
