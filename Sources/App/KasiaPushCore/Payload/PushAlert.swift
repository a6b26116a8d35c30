/// What the service put into a push to be shown as it is.
public struct PushAlert: Hashable, Sendable {
    /// The first line.
    public var title: String?
    /// The second line, which only broadcasts have.
    public var subtitle: String?
    /// The text.
    public var body: String?
    /// What the phone groups pushes by.
    public var threadID: String?
    /// The name of the actions to offer.
    public var category: String?

    /// Takes what is there.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, threadID: String? = nil,
        category: String? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.threadID = threadID
        self.category = category
    }

    /// Whether there is something to show.
    public var isEmpty: Bool { (title ?? "").isEmpty && (subtitle ?? "").isEmpty && (body ?? "").isEmpty }
}

extension PushAlert {
    /// Reads `aps` of Apple's shapes, or the title and body of the others.
    init(_ push: PushMembers) {
        guard let aps = push.object("aps") else {
            self.init(title: push.text("title"), subtitle: push.text("subtitle"), body: push.text("body"))
            return
        }
        let alert = aps.object("alert")
        self.init(
            title: alert?.text("title"), subtitle: alert?.text("subtitle"),
            body: alert?.text("body") ?? aps.text("alert"), threadID: aps.text("thread-id"),
            category: aps.text("category"))
    }
}
