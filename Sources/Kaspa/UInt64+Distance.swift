extension UInt64 {
    /// The time or score that lies `distance` after this one; the greatest number when there is none.
    package func later(by distance: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(distance)
        return overflow ? .max : sum
    }

    /// The time or score that lies `distance` before this one; 0 when there is none.
    package func earlier(by distance: UInt64) -> UInt64 { self - Swift.min(self, distance) }
}
