import APNsSandbox
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@Suite("Garbage", .timeLimit(.minutes(5)))
struct GarbageTests {
    /// Where in the protocol the garbage begins.
    enum Layer: CaseIterable, Sendable {
        case tcp, tls, http2
    }

    @Test("on the wire closes its own connection at most", arguments: Layer.allCases)
    func survives(layer: Layer) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Generator(state: seed)
        try await withSandbox { fixture in
            let witness = try await fixture.connect()
            for _ in 0..<40 {
                var bytes = layer == .http2 ? Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.settings : []
                for _ in 0..<Int.random(in: 1...4, using: &random) { bytes += Self.frame(&random) }
                try await send(bytes, to: fixture.sandbox, overTLS: layer != .tcp)
            }
            let response = try await witness.send(fixture.push())
            #expect(response.status == 200, "seed \(seed)")
            #expect(try await fixture.connect().send(fixture.push()).status == 200, "seed \(seed)")
        }
    }

    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// Something with the outline of an HTTP/2 frame, so that parsers get past the first byte.
    private static func frame(_ random: inout Generator) -> [UInt8] {
        let length = Int.random(in: 0...60, using: &random)
        let claimed = Bool.random(using: &random) ? length : Int.random(in: 0...255, using: &random)
        let type = UInt8.random(in: 0...12, using: &random)
        let head = [0, 0, UInt8(claimed), type, .random(in: 0 ... .max, using: &random), 0, 0, 0]
        let stream = UInt8.random(in: 0...5, using: &random)
        return head + [stream] + (0..<length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    }

    private func send(_ bytes: [UInt8], to sandbox: APNsSandbox, overTLS: Bool) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(sandbox.certificateAuthorityPEM.utf8)))
        configuration.applicationProtocols = ["h2"]
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(60))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard overTLS else { return }
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                }
            }
            .connect(host: "127.0.0.1", port: sandbox.boundPort).get()
        // The sandbox may close before all is written, and before we do: both are as good.
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
        try? await channel.close().get()
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            return mixed ^ (mixed >> 31)
        }
    }
}
