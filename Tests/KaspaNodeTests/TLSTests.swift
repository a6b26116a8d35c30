import Foundation
import Kaspa
import KaspadReplay
import Recordings
import ReplaySupport
import TestCertificates
import Testing

@testable import KaspaNode

@Suite("Nodes behind TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    private static var recording: Recording {
        var script = RecordingScript()
        script.extend(from: 1, count: 5)
        return script.recording
    }

    /// Runs a node with this certificate and a client that trusts `authority`, as a test's hosts name it.
    private func withNode<Result: Sendable>(
        _ certificate: TestCertificate, trusting authority: String?, scheme: String = "https", host: String,
        _ body: (NodeClient, ReplayNode) async throws -> Result
    ) async throws -> Result {
        try await withReplay(Self.recording) {
            $0.tls = (certificate.certificatePath, certificate.keyPath)
        } _: { node, url in
            let port = try #require(url.split(separator: ":").last)
            return try await withClient(["\(scheme)://\(host):\(port)"]) {
                $0.certificateAuthorityPath = authority
            } _: { client in
                try await body(client, node)
            }
        }
    }

    /// Why the node is not followed.
    private func refusal(_ client: NodeClient) async throws -> String {
        let untried = NodeStatus().reason
        while true {
            #expect(client.status.connectedURL == nil)
            if let reason = client.status.reason, reason != untried { return reason }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("A node whose certificate names its host or its address is followed", arguments: ["localhost", "127.0.0.1"])
    func followed(host: String) async throws {
        let certificate = try TestCertificate("node", addresses: [[127, 0, 0, 1]])
        try await withNode(certificate, trusting: certificate.certificatePath, host: host) { client, node in
            await client.wait(for: .connected)
            #expect(client.status.connectedURL?.hasPrefix("https://\(host):") == true)
            let info = try await client.dagInfo()
            #expect(info.networkName == "kaspa-mainnet")
            node.disconnectAll()
            await client.wait(for: .connected)
        }
    }

    @Test("A certificate of another host is none of this one", arguments: ["localhost", "127.0.0.1"])
    func anotherHost(host: String) async throws {
        let certificate = try TestCertificate("node", hosts: ["example.com"], addresses: [[10, 0, 0, 1]])
        try await withNode(certificate, trusting: certificate.certificatePath, host: host) { client, _ in
            let reason = try await refusal(client)
            #expect(reason.localizedCaseInsensitiveContains("certificate"), "\(reason)")
        }
    }

    @Test("An authority that nobody named is not trusted", arguments: [true, false])
    func unknownAuthority(namesAnother: Bool) async throws {
        let certificate = try TestCertificate("node")
        let other = try TestCertificate("other")
        let authority = namesAnother ? other.certificatePath : nil
        try await withNode(certificate, trusting: authority, host: "localhost") { client, _ in
            let reason = try await refusal(client)
            #expect(reason.localizedCaseInsensitiveContains("certificate"), "\(reason)")
        }
    }

    @Test("Neither side falls back to plain HTTP/2", arguments: [true, false])
    func noFallback(nodeHasTLS: Bool) async throws {
        let certificate = try TestCertificate("node")
        if nodeHasTLS {
            try await withNode(certificate, trusting: nil, scheme: "http", host: "localhost") { client, _ in
                let reason = try await refusal(client)
                #expect(!reason.isEmpty)
            }
        } else {
            try await withReplay(Self.recording) { _, url in
                let port = try #require(url.split(separator: ":").last)
                try await withClient(["https://localhost:\(port)"]) {
                    $0.certificateAuthorityPath = certificate.certificatePath
                } _: { client in
                    let reason = try await refusal(client)
                    #expect(!reason.isEmpty)
                }
            }
        }
    }

    @Test("A file that holds no certificates is told before anything is connected")
    func invalidAuthority() throws {
        let certificate = try TestCertificate("node")
        var configuration = NodeConfiguration(urls: [], network: .mainnet)
        try configuration.checkAuthority()
        configuration.certificateAuthorityPath = certificate.certificatePath
        try configuration.checkAuthority()
        for path in [certificate.keyPath, certificate.keyPath + ".none"] {
            configuration.certificateAuthorityPath = path
            let error = #expect(throws: NodeError.self) { try configuration.checkAuthority() }
            #expect(error?.code == .invalidAuthority && error?.message.contains(path) == true)
        }
        let damaged = certificate.certificatePath
        try "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n".write(
            toFile: damaged, atomically: true, encoding: .utf8)
        configuration.certificateAuthorityPath = damaged
        #expect(throws: NodeError.self) { try configuration.checkAuthority() }
    }
}
