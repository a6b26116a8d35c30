/// Why a message cannot be sealed.
public enum MessageEncryptionError: Error, Equatable {
    /// It is longer than ``MessageEncryption/maximumPlaintextBytes``.
    case tooLong
    /// The subscription's keys are of wrong lengths, or the public one is no point of the curve.
    case unusableKeys
    /// The library refused: not to be expected.
    case failed
}
