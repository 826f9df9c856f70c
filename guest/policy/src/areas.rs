//! The routes that hand out or change credentials: refused for every method and whoever asks (G-086, G-221).

/// Area and pattern. `*` is any one segment; `**` at the end is nothing or anything below. Letter case does not count.
const AREAS: [(&str, &str); 21] = [
    ("administration", "admin/**"),
    ("access tokens", "users/*/tokens/**"),
    ("OAuth applications", "user/applications/**"),
    ("keys", "user/keys/**"),
    ("keys", "user/gpg_keys/**"),
    ("keys", "user/gpg_key_token/**"),
    ("keys", "user/gpg_key_verify/**"),
    ("keys", "users/*/keys/**"),
    ("keys", "users/*/gpg_keys/**"),
    ("keys", "repos/*/*/keys/**"),
    ("Actions secrets", "user/actions/secrets/**"),
    ("Actions secrets", "orgs/*/actions/secrets/**"),
    ("Actions secrets", "repos/*/*/actions/secrets/**"),
    ("runner registration tokens", "user/actions/runners/registration-token/**"),
    ("runner registration tokens", "orgs/*/actions/runners/registration-token/**"),
    ("runner registration tokens", "repos/*/*/actions/runners/registration-token/**"),
    ("webhooks", "user/hooks/**"),
    ("webhooks", "orgs/*/hooks/**"),
    ("webhooks", "repos/*/*/hooks/**"),
    ("push mirrors", "repos/*/*/push_mirrors/**"),
    ("push mirrors", "repos/*/*/push_mirrors-sync/**"),
];

/// The credential area that a route lies in. Segments are raw, each as the forge would see it.
#[must_use]
pub fn credential_area<S: AsRef<[u8]>>(segments: &[S]) -> Option<&'static str> {
    AREAS.iter().find(|(_, pattern)| matches(pattern, segments)).map(|(area, _)| *area)
}

fn matches<S: AsRef<[u8]>>(pattern: &str, segments: &[S]) -> bool {
    let mut segments = segments.iter().map(AsRef::as_ref);
    for wanted in pattern.split('/') {
        if wanted == "**" {
            return true;
        }
        let Some(segment) = segments.next() else { return false };
        if wanted != "*" && !segment.eq_ignore_ascii_case(wanted.as_bytes()) {
            return false;
        }
    }
    segments.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(path: &str) -> Option<&'static str> {
        credential_area(&path.split('/').collect::<Vec<_>>())
    }

    /// G-086, G-221: each row, in any letter case, itself and what is below it.
    #[test]
    fn every_area_is_one_whatever_its_case() {
        for (name, pattern) in AREAS {
            let plain = pattern.trim_end_matches("/**").replace('*', "x");
            for path in [plain.clone(), plain.to_ascii_uppercase(), format!("{plain}/7"), format!("{plain}/a/b")] {
                assert_eq!(area(&path), Some(name), "{path}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for path in [
            "administration",
            "repos/admin/keys",
            "repos/o/r/contents/keys",
            "repos/o/keys/contents",
            "user",
            "users/tokens",
            "users/o/repos",
            "repos/o/r/pulls/7",
            "repos/o/r/actions/runs",
        ] {
            assert_eq!(area(path), None, "{path}");
        }
    }
}
