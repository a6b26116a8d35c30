import Foundation

/// When devices were away for certain: from the answer to an unregister to the start of the next register.
struct GuestBook {
    /// By token, milliseconds since 1970; the last one may be open.
    private var absences: [String: [Range<UInt64>]] = [:]

    static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }

    mutating func left(_ token: String) { absences[token, default: []].append(Self.now..<UInt64.max) }

    mutating func returns(_ token: String) {
        guard let last = absences[token]?.popLast() else { return }
        absences[token]?.append(last.lowerBound..<max(last.lowerBound, Self.now))
    }

    func isAway(_ token: String, at time: UInt64) -> Bool {
        absences[token]?.contains { $0.contains(time) } ?? false
    }
}
