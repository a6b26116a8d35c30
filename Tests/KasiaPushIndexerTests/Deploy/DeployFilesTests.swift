import API
import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("deploy/", .timeLimit(.minutes(10)))
struct DeployFilesTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: projectDirectory + "/deploy/" + path, encoding: .utf8)
    }

    @Test("check.sh finds nothing wrong with the files, whatever tools are here")
    func check() throws {
        let process = Process()
        process.executableURL = URL(filePath: projectDirectory + "/deploy/check.sh")
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(output)")
        #expect(output.contains("0 failed, "))
    }

    @Test(
        "dashboard and alerts name metrics that the service exports, and no others",
        arguments: ["grafana/kasia-push-indexer.json", "prometheus/alerts.yaml"])
    func metrics(file: String) throws {
        var exported: Set<String> = []
        for definition in MetricsCatalogue.definitions {
            let endings = definition.kind == .histogram ? ["_bucket", "_sum", "_count"] : [""]
            exported.formUnion(endings.map { definition.name + $0 })
        }
        let names = try text(file).matches(of: /\b(?:kasia|process)_[a-z_]+/).map { String($0.0) }
        #expect(names.count > 15)
        for name in Set(names) { #expect(exported.contains(name), "\(name)") }
    }

    @Test("the unit, the image and compose agree with the program on its keys and its port")
    func keys() throws {
        let known = Set(ConfigurationKey.allCases.map(\.environmentName))
        let files = try [
            "kasia-push-indexer.service", "Dockerfile", "compose.yaml", "compose.env.example", "cluster/compose.yaml",
        ].map(text)
        let prefixes = "NETWORK|NODE|STORE|HTTP|APNS|FCM|WEB_PUSH|PUSH|LOG"
        let pattern = try Regex("\\b((?:\(prefixes))_[A-Z_]+)(?:=|: )")
        var count = 0
        for file in files {
            for match in file.matches(of: pattern) {
                count += 1
                let name = String(match.output[1].substring ?? "")
                #expect(known.contains(name), "\(name)")
            }
        }
        #expect(count > 10)
    }
}
