import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import API

/// One answer of the API, and what was asked.
struct CollectedAnswer: Codable, Sendable {
    /// What it is an example of.
    var call: String
    var method: String
    /// As the document writes it.
    var path: String
    var status: Int
    var content_type: String
    /// Names in lower case.
    var headers: [String: String]
    var body: String
}

/// Answers of a running API, to be held against /openapi.json.
final class AnswerCollection: Sendable {
    private let collected = Mutex<[CollectedAnswer]>([])

    var answers: [CollectedAnswer] { collected.withLock { $0 } }

    /// Asks, and keeps the answer; `uri` is the template where it is not named.
    @discardableResult
    func ask(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, uri: String? = nil,
        headers: HTTPFields = [:], body: [UInt8]? = nil, expecting status: Int,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> TestResponse {
        var headers = headers
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let response = try await client.execute(
            uri: uri ?? path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) })
        #expect(response.status.code == status, "\(method) \(uri ?? path): \(response.text)", sourceLocation: location)
        let names = response.headers.map { ($0.name.canonicalName, $0.value) }
        add(
            method, path, status: Int(response.status.code),
            headers: Dictionary(names, uniquingKeysWith: { first, _ in first }), body: response.text)
        return response
    }

    /// Keeps an answer as it came over the wire.
    func add(_ method: HTTPRequest.Method, _ path: String, wire: String) throws {
        let parts = try #require(wire.firstRange(of: "\r\n\r\n"))
        let lines = wire[..<parts.lowerBound].components(separatedBy: "\r\n")
        let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        add(method, path, status: status, headers: headers, body: String(wire[parts.upperBound...]))
    }

    private func add(
        _ method: HTTPRequest.Method, _ path: String, status: Int, headers: [String: String], body: String
    ) {
        collected.withLock {
            $0.append(
                CollectedAnswer(
                    call: "answer \($0.count)", method: method.rawValue, path: path, status: status,
                    content_type: headers["content-type"] ?? "", headers: headers, body: body))
        }
    }
}

/// A JSON Schema validator of others, called as a program on all answers at once.
enum AnswerValidator {
    /// A Python with jsonschema; nil where there is none.
    static let python: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let candidates = path.split(separator: ":").map { "\($0)/python3" } + ["/usr/bin/python3"]
        return candidates.first { candidate in
            FileManager.default.isExecutableFile(atPath: candidate)
                && (try? run(candidate, ["-c", "import jsonschema"], Data()))?.status == 0
        }
    }()

    /// One line for each thing that is not as the document says.
    static func complaints(of answers: [CollectedAnswer]) throws -> [String] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appendingPathComponent("validate_answers.py")
        let list = String(decoding: try JSONEncoder().encode(answers), as: UTF8.self)
        let question = "{\"document\":\(OpenAPIDocument.json),\"answers\":\(list)}"
        let result = try run(try #require(python), [script.path], Data(question.utf8))
        try #require(result.status == 0, "\(result.output)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Input goes through a file: a pipe would fill up while nobody reads the other.
    private static func run(
        _ executable: String, _ arguments: [String], _ input: Data
    ) throws -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-answers-\(UUID().uuidString)")
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
