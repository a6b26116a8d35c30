public import Store

extension DeviceRecord.Environment {
    /// The environment of one of Apple's hosts.
    public init(_ host: APNsHost) {
        switch host {
        case .development: self = .development
        case .production: self = .production
        }
    }

    /// The host that such tokens are good at.
    public var host: APNsHost {
        switch self {
        case .development: .development
        case .production: .production
        }
    }
}

extension DeviceRecord.KnownEnvironment? {
    /// The host to try first, nil for the operator's own, and whether the other may be tried after it.
    ///
    /// If the app named its host, a refusal there counts, and the other host is not tried.
    public var route: (host: APNsHost?, mayTryOther: Bool) {
        map { ($0.environment.host, !$0.isSaid) } ?? (nil, true)
    }
}
