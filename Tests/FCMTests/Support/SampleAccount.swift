import Foundation
import Testing

@testable import FCM

/// A service account's file as Google gives it, and what may be wrong with one.
enum SampleAccount {
    /// The file's text with some members changed; nil leaves one out.
    static func json(_ changes: [String: Any?] = [:]) throws -> String {
        var members: [String: Any] = [
            "type": "service_account", "project_id": "kasia-test", "private_key_id": "0123456789abcdef",
            "private_key": key + "\n", "client_email": "push@kasia-test.iam.gserviceaccount.com",
            "client_id": "1234567890", "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": "https://oauth2.googleapis.com/token", "universe_domain": "googleapis.com",
        ]
        for (name, value) in changes { members[name] = value }
        let data = try JSONSerialization.data(withJSONObject: members, options: [.withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    static func account(_ changes: [String: Any?] = [:]) throws -> ServiceAccount {
        try ServiceAccount(json: try json(changes))
    }

    /// Made with OpenSSL for these tests, and good for nothing.
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC0sVAXBVjDQ1rI
        krDkBwOGxOJCX77lnljBWXgQpI9Zo8xKW8+YI7iRPAUbphYuUlrY9qOH+z+iBzJ8
        SLZxjodkWgStzJD8RKRQ1VCJWhGd12GU5zYCmw77ZF+l7Fh7jSYaNiUUdi/Ezsm2
        yZYXULUOObGIoBZ3+ZAG6vIcq3G9KiVhSsakZwq20NQuX20bKQFXGNlKtdKmqerc
        d9BDbLDCwiy0G/jMeNtqjlC9H8xarNU2334OTW3/VHaYhMajI7du3JKmsxlGGD15
        sPmajtx/nLAObeFriIfijDT67qha2KE7nZuEUwswTYTKBgwh8GCptn37ob3JgUww
        KE3x5CdPAgMBAAECggEADtPmIJ19tThXwNHY1j2FGpAZiRzWS319BxDSe3slkFOS
        th9mn7N+t9xXBvfQJij374n9zXDevesdR3moDxWFIsUIUULSOwFfAoseusa7X1qH
        VXLLydbzmcmY18LXV/wzPj9nN5CjRuE5SFiuimdDFFHDsdSBQ4MlQIwTJisjgERL
        veWDQx75xmbSOiCNEjCCXTRoJtpGh9QsxpMcCO1hNrNymH9RKjEbGTScQbdwlZ15
        IHfhJeAZDbTVmh6+WHo5kTp0kQ/RG7g5QkW+vYcF4QcD7OAw6K4vNI6bAoH/PwgB
        GAHnrv1rag00hmrsuq2SuSoVYIRTys1RvAVyDeWZkQKBgQDm0hzN/N76e6crx3bn
        kBFv4QTmeCeC24uIy2TUcFm/eDL9YxFje9mWVRZpu++pLmJoP5uF7gNVLqRM9cxy
        QDCZGapvbE1qZfzQjltTT9pTaq6noiGAgJXs8W6ZPXwdP4tIg2o3YtZvBSE1sG0J
        ybzmtd6il+kOCWgF3NefrOBn4wKBgQDIZ1M8UDglTO/vYMc9J29RmAdRNB5JmazH
        CoK4/Y/v2/9d9++P0QmlIOgTo55Fxs1LRFTu/5Nb2OGCsyx0aWV0bAsdQNpMXNq8
        fC9s0vOWgMB7DWAw5OXagH/5LRJ+3ytyzfRhtUi0kNHvJ1VD9UVnKZgkACdMHVgt
        mqk3M8ympQKBgQCZm66rruM9UtkXm3CX/hp8mAVI0yGIRk7/xEvfzL0NXRKh6jIC
        QMO29f0qdHWz4zh+JAZ+BL2XDKkuxk0+o1U0Lg5shGiorCKpMHO6Z+Plq5N737vn
        5qrfunRd6rsUQ9uPcFVZcp891u4Y6sZFw0nBR7tX/TyNqNjfPe8JRmU4/QKBgCR+
        HDwZZ3/zWKXAe8d5DN5QztRMp09DuqCsG03QbouBBil4YplPuW/mZBxfaQzPvMZ9
        9PFofM722WnRcsDoCF+A5S04iAfryLEV9BTe/Rhk7af6sY91vx1g1Ozs9jdAMEtB
        kcTRHCI1VOU1xmMPoMm+W0QC+yTzGwGC7lltB1E5AoGBAMeucIFSb3P6yB336uF7
        YlJ5APOAPlA2ER9fd/Qle8fX7UJeGCVWu2yHZhia+wk0j6ouYblCfHzP0lxqto3O
        LodYYCMeGtWND7gi+b4j8g36w/oSIKZNI9M9rKFR3d3dykRslrOdH3VXccDwrBDC
        P4ZyMBm8xBsijqyvsYZFiAKH
        -----END PRIVATE KEY-----
        """

    static let shortKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAOvilzE1lQnEhHYq
        Jn9UwXliU0YJ9I9ZtX8TR3yj3oNO6r42ZCknO194WdW6K0G9G5WYDR0f1cpwOGIV
        1F1NfpVbuQ1iuL1fK0bfh7J7iV27GyQLWvp0S+0eTR7FqiV08325IMsIeS/MMXZm
        UPXygSexdq2h5H0xcq42ZTXo9GwLAgMBAAECgYBX9XiXevmGWOdkALe2R26Vytpu
        hYvSYItTRWckzR5OLIFQSIv05JI5OXGWRwOWUeQVVkudjp90C4Ca4rT7zcfjRpwj
        7Guj1LTN7EOqKlooNeATYVC5a31tVU0kr/rUUhh+9dkNUrjZQyBLUmbGzTHeE+uX
        QunpJ7vtyFON3V1twQJBAP6uzdGsZVEV68LJuOsUim57OBk0FPZooACTvgBTHdb1
        2Mm+jcAGWZ58hZWEhuj8Q3/Rpoclthk50vxWWVD5rpECQQDtGuYUP3DWHeBZa6IN
        R2XUgn5LfF5lyQ/eZ8DMYnHkSzGYquKWrX/huOVOZg3+GARLBQ39953zW6PZxjj/
        sbbbAkAWF6nI93BugT1LT15YHhcIEG5EWW08FsVSZ36C3rLm87qTfZEkSCi8A8c+
        uhlN2pwsWU5dyNqsA4UW2JK04IPRAkATwO3yOebYr9yFFqaFnLErJ0QGXfIvYLTl
        vpcdcAY1Et6q7XG7Q/EniRPxmCcKSE3zQhSMWBjcsYHRHuaYxuGJAkEAuytE+q3h
        OrLFvqeFdUdJ62IJD2HXGlVlbYRGxrwaVXZlhqLw2BxiVJn3S/hlDjao1eP3SLNP
        mwcIAZXxE2W2Kw==
        -----END PRIVATE KEY-----
        """

    static let ellipticKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsppbpB7/oZzCl+QW
        hAT/Q1aTkn7ZDVcXLC9J2oJXCMmhRANCAAQnoTqrOeMtWqblVaIrZoxSAHwOsd7M
        +XdePulchfLGm/MES+EO5Ednw5Httq/TcG7+Rz3KSx89ObQBc4a4SmML
        -----END PRIVATE KEY-----
        """
}
