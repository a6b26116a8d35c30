/// Who is connected: a site or another app by its metadata, or a device by an id of the app's choice.
public enum ConnectedPeer: Hashable, Sendable, Codable {
    /// The longest id of a device in bytes.
    public static let maximumDeviceBytes = 128

    /// A site or another app. A different domain, URI or scheme is a different one.
    case site(AppMetadata)
    /// A linked device, such as a desktop; 1 to 128 bytes.
    case device(String)
}

extension ConnectedPeer {
    func check() throws(StoreError) {
        switch self {
        case .site(let app): try app.check()
        case .device(let id): _ = try Checked.text(id, "device", 1...ConnectedPeer.maximumDeviceBytes)
        }
    }
}
