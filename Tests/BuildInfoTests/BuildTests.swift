import BuildInfo
import Testing

@Suite("What a build says of itself")
struct BuildTests {
    @Test("is a version, a revision and Swift's version, in one line")
    func text() {
        #expect(Build.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
        #expect(Build.revision.wholeMatch(of: /unknown|[A-Za-z0-9._+-]+/) != nil)
        #expect(Build.swift.wholeMatch(of: /\d+\.\d+/) != nil, "\(Build.swift)")
        #expect(Build.text == "\(Build.version) (revision \(Build.revision), Swift \(Build.swift))")
    }
}
