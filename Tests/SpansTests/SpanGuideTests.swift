import Foundation
import Testing

@testable import Spans

/// What operators read about spans, held against the code.
@Suite("The operator guide")
struct SpanGuideTests {
    private func guide() throws -> String {
        let project = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: project.appending(path: "deploy/docs/operator-guide.md"), encoding: .utf8)
    }

    @Test("names every span and every attribute")
    func complete() throws {
        let guide = try guide()
        for name in SpanName.all + SpanKey.allCases.map(\.rawValue) {
            #expect(guide.contains("`\(name)`"), "\(name)")
        }
    }

    @Test("names no span and no attribute of ours that there is not")
    func current() throws {
        let known = Set(SpanName.all + SpanKey.allCases.map(\.rawValue))
        let named = try guide().matches(of: /`(kasia\.[a-z_.]+)`/).map { String($0.1) }
        #expect(named.count > 20)
        for name in named { #expect(known.contains(name), "\(name)") }
    }
}
