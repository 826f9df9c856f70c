//! Guards, lineage and key.

use proptest::prelude::*;

use super::*;
use crate::Sha256Hex;

fn of(members: &str) -> Identity {
    identity(&value(&format!("{{{members}}}")))
}

fn plain() -> Identity {
    Identity {
        expected_target_version: None,
        expected_current_hash: None,
        source: "model_response".into(),
        parent: None,
        attempt: None,
        flaw: None,
    }
}

/// P-034, P-035, P-036, P-037, P-038: what is taken.
#[test]
fn well_formed_members_are_read() {
    let hash = Sha256Hex::of("x");
    for (members, read) in [
        (String::new(), plain()),
        (
            r#""expected_target_version":null,"expected_current_hash":null,"attempt":null,"parent_pdcp_log_id":null"#
                .to_owned(),
            plain(),
        ),
        (r#""expected_target_version":0"#.to_owned(), Identity { expected_target_version: Some(0), ..plain() }),
        (
            r#""expected_target_version":9223372036854775807"#.to_owned(),
            Identity { expected_target_version: Some(i64::MAX as u64), ..plain() },
        ),
        (format!(r#""expected_current_hash":"{hash}""#), Identity { expected_current_hash: Some(hash), ..plain() }),
        (r#""source":"human""#.to_owned(), Identity { source: "human".into(), ..plain() }),
        (r#""source":"""#.to_owned(), Identity { source: String::new(), ..plain() }),
        (r#""parent_pdcp_log_id":"any""#.to_owned(), Identity { parent: Some("any".into()), ..plain() }),
        (r#""attempt":1"#.to_owned(), Identity { attempt: Some(1), ..plain() }),
        (r#""attempt":2147483647"#.to_owned(), Identity { attempt: Some(2_147_483_647), ..plain() }),
    ] {
        assert_eq!(of(&members), read, "{members}");
    }
}

/// P-034, P-035, P-036, P-037, P-038, P-066, P-079: what is not is nothing in its column, and is told in its turn.
#[test]
fn malformed_members_are_nothing() {
    let upper = Sha256Hex::of("x").as_str().to_uppercase();
    let hash = |text: &str| format!(r#""expected_current_hash":"{text}""#);
    for (members, name) in [
        (r#""expected_target_version":-1"#.to_owned(), "expected_target_version"),
        (r#""expected_target_version":9223372036854775808"#.to_owned(), "expected_target_version"),
        (r#""expected_target_version":18446744073709551616"#.to_owned(), "expected_target_version"),
        (r#""expected_target_version":1.0"#.to_owned(), "expected_target_version"),
        (r#""expected_target_version":true"#.to_owned(), "expected_target_version"),
        (r#""expected_target_version":"1""#.to_owned(), "expected_target_version"),
        (hash(""), "expected_current_hash"),
        (hash(&upper), "expected_current_hash"),
        (hash(&upper.to_lowercase()[1..]), "expected_current_hash"),
        (hash(&format!("{}\\n", upper.to_lowercase())), "expected_current_hash"),
        (r#""expected_current_hash":1"#.to_owned(), "expected_current_hash"),
        (r#""attempt":0"#.to_owned(), "attempt"),
        (r#""attempt":2147483648"#.to_owned(), "attempt"),
        (r#""attempt":"1""#.to_owned(), "attempt"),
        (r#""parent_pdcp_log_id":7"#.to_owned(), "parent_pdcp_log_id"),
        (r#""source":null"#.to_owned(), "source"),
        (r#""source":1"#.to_owned(), "source"),
    ] {
        let read = of(&members);
        let flaw = read.flaw.clone().expect("it is malformed");
        assert_eq!((flaw.reason, flaw.change_id), (Reason::ContextInvalid, None), "{members}");
        assert!(flaw.detail.starts_with(&format!("{name} is ")), "{members}: {}", flaw.detail);
        assert_eq!(Identity { flaw: None, ..read }, plain(), "{members}");
    }
}

/// P-079: one flaw harms none of the others, and the first one in a fixed order is told.
#[test]
fn the_first_flaw_is_told() {
    let read = of(r#""source":1,"attempt":0,"expected_current_hash":"x","expected_target_version":7"#);
    assert_eq!(read.expected_target_version, Some(7));
    assert!(read.flaw.expect("three are wrong").detail.starts_with("expected_current_hash"));
    assert_eq!(identity(&Value::Null), plain());
    assert_eq!(identity(&value("[1]")), plain());
}

proptest! {
    /// P-039, P-113: as the regular expression has it.
    #[test]
    fn keys_are_printable_ascii(key in r"[!-~]{0,4}|[ -~\n\x7fé]{0,4}|[!-~]{120,136}") {
        let holds = (1..=128).contains(&key.len()) && key.chars().all(|letter| ('\x21'..='\x7e').contains(&letter));
        prop_assert_eq!(is_request_key(&key), holds);
    }
}

/// P-039: the limits.
#[test]
fn keys_have_limits() {
    for (key, holds) in [
        (String::new(), false),
        ("!".to_owned(), true),
        ("~".repeat(128), true),
        ("~".repeat(129), false),
        (" ".to_owned(), false),
        ("a\u{7f}".to_owned(), false),
        ("a\n".to_owned(), false),
        ("é".to_owned(), false),
    ] {
        assert_eq!(is_request_key(&key), holds, "{key:?}");
    }
}
