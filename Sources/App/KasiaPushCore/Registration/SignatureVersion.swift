/// The version of the text that the wallet signs.
public enum SignatureVersion: Int, Sendable, CaseIterable {
    /// What the apps in the field sign.
    case v1 = 1
    /// The one for new apps, which covers capabilities.
    case v2 = 2
}

/// Whose text is signed; the service takes both, in both versions.
public enum SignatureDomain: String, Sendable, CaseIterable {
    /// `kasia-push-auth` and `kasia-push-device-auth`.
    case kasia
    /// `kchat-push-auth` and `kchat-push-device-auth`.
    ///
    /// A registration signed so gets its pushes in the shape `kachat`, unless it asks for another.
    case kchat
}
