/// The stand-in for Apple, Google and a Web Push service, as it runs.
struct DemoSandbox: Sendable {
    let program: ChildProcess
    let origin: String
    /// The PEM file of its certificate's authority.
    let authorityPath: String
    /// The indexer's public key of Web Push, which subscriptions are made for.
    let applicationServerKey: String
    /// The indexer's settings for sending to it.
    let settings: [String: String]
}
