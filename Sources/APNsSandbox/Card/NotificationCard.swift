import FoundationEssentials

/// A received notification as a box for the terminal, and a refused request as one line.
///
/// A notification to an Android phone or to a browser says so in its top line. Control characters are removed, so that
/// a payload cannot control the terminal. Of a device token only the last eight characters are shown.
public struct NotificationCard: Sendable, CustomStringConvertible {
    /// The inner width of the box, in columns.
    static let width = 70

    /// The card's text, without a line feed at its end.
    public let description: String

    /// Draws `notification`, with terminal colours if asked.
    public init(_ notification: ReceivedNotification, colour: Bool = false) {
        let palette = Palette(isOn: colour)
        description =
            notification.isAccepted
            ? Self.box(notification, PayloadSummary(of: notification), palette)
            : Self.line(notification, palette)
    }

    private static func line(_ entry: ReceivedNotification, _ palette: Palette) -> String {
        let verdict = entry.status == 0 ? "no answer (\(entry.ending.rawValue))" : "\(entry.status)"
        let reason = clean(entry.reason ?? "")
        // A dry run, an access token and a question are answered with success and are no notifications.
        let isSuccess = entry.carrier != .apns && entry.reason == nil && (200...299).contains(entry.status)
        let head = "\(isSuccess ? "✓" : "✗") \(verdict)\(reason.isEmpty ? "" : " \(reason)")"
        return (isSuccess ? palette.plain(head) : palette.red(head))
            + palette.dim("  \(entry.carrier.receiver) \(place(entry))\(clock(entry.receivedAt)) UTC")
    }

    /// The device that a line is about, and the space after it.
    private static func place(_ entry: ReceivedNotification) -> String {
        if entry.token.isEmpty, entry.carrier != .apns { return " " }
        return "…\(clean(entry.tokenSuffix))  "
    }

    private static func box(_ entry: ReceivedNotification, _ summary: PayloadSummary, _ palette: Palette) -> String {
        let mark = entry.carrier == .apns ? "" : " \(entry.carrier.receiver) ─"
        let title = fit(clean(summary.title ?? "Notification"), width - 3 - mark.count)
        let rule = String(repeating: "─", count: max(0, width - 3 - mark.count - title.count)) + mark
        var lines = ["\(palette.dim("┌─")) \(palette.bold(title)) \(palette.dim(rule + "┐"))"]
        func row(_ text: String, _ style: (String) -> String = { $0 }) {
            let text = fit(text, width - 2)
            let padding = String(repeating: " ", count: width - 2 - text.count)
            lines.append("\(palette.dim("│")) \(style(text))\(padding) \(palette.dim("│"))")
        }
        if let subtitle = summary.subtitle { row(clean(subtitle), palette.bold) }
        if let body = summary.body { row(clean(body)) }
        row("")
        for (name, value) in fields(entry, summary) {
            row(name + String(repeating: " ", count: 10 - name.count) + value, palette.plain)
        }
        lines.append(palette.dim("└" + String(repeating: "─", count: width) + "┘"))
        return lines.joined(separator: "\n")
    }

    private static func fields(
        _ entry: ReceivedNotification, _ summary: PayloadSummary
    ) -> [(String, String)] {
        var fields: [(String, String)] = []
        if let environment = entry.environment { fields.append(("host", environment.rawValue)) }
        if let pushType = entry.pushType, pushType != "alert" { fields.append(("push type", clean(pushType))) }
        if let kind = summary.kind { fields.append(("type", clean(kind))) }
        if let sender = summary.sender, !sender.isEmpty { fields.append(("sender", short(clean(sender)))) }
        var size = "\(entry.bodyLength)\(limit(entry)) bytes"
        if entry.carrier == .webPush, entry.bodyLength > 0, entry.contents == nil { size += ", not decrypted" }
        if let length = summary.payloadLength { size += ", payload \(length)" }
        fields.append(("size", size))
        if let sequence = summary.sequence { fields.append(("seq", "\(sequence)")) }
        fields.append((entry.carrier == .webPush ? "endpoint" : "device", "…\(clean(entry.tokenSuffix))"))
        switch entry.carrier {
        case .fcm: fields.append(("message", clean(entry.id)))
        case .webPush: if !entry.id.isEmpty { fields.append(("topic", short(clean(entry.id)))) }
        default: fields.append(("apns-id", clean(entry.id)))
        }
        if entry.carrier != .webPush, let collapseID = entry.collapseID {
            fields.append(("collapse", short(clean(collapseID))))
        }
        if let urgency = entry.urgency { fields.append(("urgency", clean(urgency))) }
        if let timeToLive = entry.timeToLive { fields.append(("ttl", "\(timeToLive) s")) }
        var time = "\(clock(entry.receivedAt)) UTC"
        if let timestamp = summary.timestampMilliseconds {
            time += ", \(latency(from: timestamp, to: entry.receivedAt)) after its block"
        }
        fields.append(("received", time))
        return fields
    }

    /// Of how many bytes, where the body itself has a limit.
    private static func limit(_ entry: ReceivedNotification) -> String {
        switch entry.carrier {
        case .apns: " of \(IncomingRequest.largestPayload(entry.pushType))"
        case .webPush: " of \(WebPushService.largestBody)"
        default: ""
        }
    }

    /// The first eight characters, `...` and the last six, as pushes shorten addresses (`Address.description`).
    ///
    /// A text of sixteen or fewer stays as it is.
    private static func short(_ text: String) -> String {
        text.count <= 16 ? text : "\(text.prefix(8))...\(text.suffix(6))"
    }

    private static func fit(_ text: String, _ columns: Int) -> String {
        text.count <= columns ? text : "\(text.prefix(columns - 1))…"
    }

    private static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: " "
                    default: scalar
                    }
                }))
    }

    private static func clock(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded(.down).clamped)
        let ofDay = ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
        func padded(_ value: Int64, _ digits: Int) -> String {
            let text = "\(value)"
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { padded($0, 2) }
            .joined(separator: ":") + "." + padded(ofDay % 1000, 3)
    }

    private static func latency(from timestampMilliseconds: UInt64, to date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000 - Double(timestampMilliseconds)).clamped)
        if abs(milliseconds) < 1000 { return "\(milliseconds) ms" }
        let tenths = milliseconds / 100
        return "\(tenths / 10).\(abs(tenths % 10)) s"
    }
}

extension Double {
    /// Limited to what fits into an Int64 of milliseconds, with room for arithmetic: a payload may claim any time.
    fileprivate var clamped: Double { isNaN ? 0 : Swift.min(Swift.max(self, -1e17), 1e17) }
}

extension SandboxCarrier {
    /// Who gets the notification, for a person.
    fileprivate var receiver: String {
        switch self {
        case .apns: "device"
        case .fcm: "Android"
        case .webPush: "browser"
        case .googleToken: "access token"
        case .unifiedPush: "UnifiedPush"
        }
    }
}

/// Terminal styles, or none.
private struct Palette {
    let isOn: Bool

    func bold(_ text: String) -> String { styled("1", text) }
    func dim(_ text: String) -> String { styled("2", text) }
    func red(_ text: String) -> String { styled("31", text) }
    func plain(_ text: String) -> String { text }

    private func styled(_ code: String, _ text: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
