/// One of Apple's two hosts: which one a port stands in for, and where a device token is good.
public enum SandboxEnvironment: String, Sendable, Hashable, CaseIterable {
    /// `api.sandbox.push.apple.com`, for builds from Xcode.
    case development
    /// `api.push.apple.com`, for builds from TestFlight and the App Store.
    case production
}
