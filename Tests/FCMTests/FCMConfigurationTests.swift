import HTTP2Client
import Testing

@testable import FCM

@Suite("FCM configuration")
struct FCMConfigurationTests {
    private func problem(_ change: (inout FCMConfiguration) -> Void) throws -> FCMConfigurationError? {
        var configuration = FCMConfiguration(account: try SampleAccount.account())
        change(&configuration)
        do throws(FCMConfigurationError) {
            try configuration.validate()
            return nil
        } catch {
            return error
        }
    }

    @Test("is good as it is, for Google's own host and quota")
    func defaults() throws {
        #expect(try problem { _ in } == nil)
        let configuration = FCMConfiguration(account: try SampleAccount.account())
        #expect(configuration.endpoint == "https://fcm.googleapis.com")
        #expect(configuration.messagesPerMinute == 600_000)
        let settings = configuration.connectionSettings(origin: "https://a", streams: 3)
        #expect(settings.service == "FCM")
        #expect(settings.streams == 3)
        #expect(settings.answerFields == ["retry-after"])
    }

    @Test("names the field that cannot work")
    func ranges() throws {
        for (field, low, high, set) in [
            ("connections", 1, 64, { $0.connections = $1 }), ("streams", 1, 10_000, { $0.streams = $1 }),
            ("messagesPerMinute", 1, 10_000_000, { $0.messagesPerMinute = $1 }),
            ("maximumPayloadBytes", 0, 4_096, { $0.maximumPayloadBytes = $1 }),
        ] as [(String, Int, Int, (inout FCMConfiguration, Int) -> Void)] {
            for (value, isGood) in [(low - 1, false), (low, true), (high, true), (high + 1, false)] {
                let error = try problem { set(&$0, value) }
                #expect(
                    error?.description == (isGood ? nil : "FCM \(field) must be \(low) to \(high), not \(value)"))
            }
        }
        #expect(try problem { $0.connectTimeout = .zero }?.field == "connectTimeout")
        #expect(try problem { $0.firstByteTimeout = .seconds(3_601) }?.field == "firstByteTimeout")
        #expect(try problem { $0.requestTimeout = .zero }?.field == "requestTimeout")
        #expect(try problem { $0.drainTimeout = .seconds(-1) }?.field == "drainTimeout")
    }

    @Test("wants an https origin", arguments: ["http://a", "https://a/", "https://a/b", "a", "https://u@a"])
    func endpoint(text: String) throws {
        #expect(try problem { $0.endpoint = text }?.field == "endpoint")
    }
}
