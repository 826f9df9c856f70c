//! What the data is, and what holds of every entity. Numbers 41 to 51.

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{
    super::{
        Fault, Verifier,
        fixture::{DIFF, Fixture, seven, verify, verify_by},
    },
    *,
};
use crate::{Capture, Error, Sink, base64, json};

/// Data of the sound fixture with its character at `at` replaced by `with`.
fn spoiled(at: usize, with: &str) -> Fixture {
    let mut data = base64::encode(DIFF);
    data.replace_range(at..=at, with);
    fixture().with_data(&data)
}

/// D-036b number 41, D-036: at the beginning, in the middle and at the end.
#[test]
fn n41_alphabet() {
    let last = base64::encode(DIFF).len() - 3;
    for at in [0, 5, last] {
        for other in ["-", "_", " ", "\n", "\r", "\t", "\0", ",", "é", "%"] {
            refuses_code(&spoiled(at, other), "evidence_corrupt");
        }
    }
    refuses_code(&fixture().with_data(&format!(" {}", base64::encode(DIFF))), "evidence_corrupt");
    refuses_code(&fixture().with_data(&format!("{}\n", base64::encode(DIFF))), "evidence_corrupt");
}

/// Which of two faults shows first depends on the order of members, as an early look at the length may come between.
#[track_caller]
fn refuses_code(fixture: &Fixture, code: &str) {
    for entity in fixture.orders() {
        for size in [1, 4, entity.len()] {
            let error = verify_by(&entity, entity.len() as u64, size).map(|_| ()).unwrap_err();
            assert_eq!(error.code(), code, "{error}: {}", String::from_utf8_lossy(&entity));
        }
    }
}

/// D-036b number 42, D-036.
#[test]
fn n42_escapes_in_data() {
    for escape in [r"\/", r"\u002b", r"\u0041", r"\n", r#"\""#] {
        refuses(&spoiled(4, escape), json::Fault::EscapeInContent);
    }
}

/// D-036b number 43.
#[test]
fn n43_length_of_data() {
    let data = base64::encode(DIFF);
    for cut in 1..4 {
        refuses_code(&fixture().with_data(&data[..data.len() - cut]), "evidence_corrupt");
    }
    refuses_code(&fixture().with_data(&data[1..]), "evidence_corrupt");
}

/// D-036b number 44, D-018 (a): with the stated bytes as they are, and with a diff that needs no padding.
#[test]
fn n44_padding() {
    for (diff, texts) in [
        (&b"A"[..], &["QQ", "QQ=", "QQ===", "=QQ=", "Q=Q=", "QQ==QQ==", "QQ=Q", "Q===", "QQ==="][..]),
        (b"AB", &["QUI", "QUI==", "Q=UI", "QUI=QUI=", "=QUI"]),
        (b"ABC", &["QUJD=", "QUJD====", "QUI=", "QU=D", "===="]),
    ] {
        accepts(&Fixture::new(diff));
        for text in texts {
            refuses_code(&Fixture::new(diff).with_data(text), "evidence_corrupt");
        }
    }
}

/// D-036b number 45, D-018 (b): the right bytes and the right hash, written with spare bits that are not zero.
#[test]
fn n45_spare_bits() {
    for (diff, texts) in [(&b"A"[..], &["QR==", "QS==", "Qf=="][..]), (b"AB", &["QUJ=", "QUK=", "QUL="])] {
        for text in texts {
            refuses(&Fixture::new(diff).with_data(text), Fault::Base64(base64::Fault::PadBits));
        }
    }
}

/// D-036b number 46, D-017.
#[test]
fn n46_count() {
    let count = format!(r#""bytes":{}"#, DIFF.len());
    for other in [DIFF.len() - 1, DIFF.len() + 1, 0, DIFF.len() * 2] {
        refuses_code(&fixture().with(&count, &format!(r#""bytes":{other}"#)), "evidence_corrupt");
    }
    // Where the data came first, the count alone says so.
    let [.., last] = &fixture().with(&count, &format!(r#""bytes":{}"#, DIFF.len() + 1)).orders()[..] else {
        panic!("six orders")
    };
    assert_eq!(verify(last).map(|_| ()).unwrap_err(), Fault::Count.into());
}

/// D-036b number 47, D-018 (c), D-018 (f): each byte of the diff, and the hash itself.
#[test]
fn n47_hash() {
    for at in 0..DIFF.len() {
        let mut corrupt = DIFF.to_vec();
        corrupt[at] ^= 1;
        refuses(&fixture().with_data(&base64::encode(&corrupt)), Fault::Hash);
    }
    let mut other = Fixture::new(b"x").manifest;
    other = other.replace(r#""bytes":1,"#, &format!(r#""bytes":{},"#, DIFF.len()));
    refuses(&Fixture { manifest: other, ..fixture() }, Fault::Hash);
    // D-045: a hash over git's object header is another one.
    let with_header = [format!("blob {}\0", DIFF.len()).as_bytes(), DIFF].concat();
    let manifest = Fixture::new(&with_header).manifest;
    let count = format!(r#""bytes":{},"#, with_header.len());
    let manifest = manifest.replace(&count, &format!(r#""bytes":{},"#, DIFF.len()));
    refuses(&Fixture { manifest, ..fixture() }, Fault::Hash);
}

/// D-036b number 48.
#[test]
fn n48_form_of_the_hash() {
    let own: String = Sha256::digest(DIFF).iter().map(|byte| format!("{byte:02x}")).collect();
    for other in [own.to_uppercase(), own[1..].to_owned(), format!("{own}0"), String::new(), "g".repeat(64)] {
        refuses_manifest(&own, &other, Fault::Content);
    }
}

/// D-036b number 49, D-035: a length that cannot be right is refused before the data.
#[test]
fn n49_length_arithmetic() {
    let entity = fixture().entity();
    let data = base64::encode(DIFF);
    let at = entity.len() - data.len() - 2;
    for length in [0, 1, entity.len() - 1, entity.len() + 2_000, 1 << 50] {
        let mut verifier = Verifier::new(seven(), length as u64, Capture::new(0));
        let head = verifier.feed(&entity[..at]);
        let expected = if length < at { Fault::Long } else { Fault::Length };
        assert_eq!(head, Err(expected.into()), "{length}");
    }
    let count = format!(r#""bytes":{}"#, DIFF.len());
    for bytes in [0, DIFF.len() + 3, 9_007_199_254_740_991] {
        let lying = fixture().with(&count, &format!(r#""bytes":{bytes}"#)).entity();
        assert!(verify(&lying).is_err());
    }
}

/// D-036b number 50, D-043: nothing, or something, and never one for the other.
#[test]
fn n50_empty_diff() {
    accepts(&Fixture::new(b""));
    assert!(Fixture::new(b"").manifest.contains("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    refuses_code(&Fixture::new(b"").with_data("QQ=="), "evidence_corrupt");
    refuses_code(&fixture().with_data(""), "evidence_corrupt");
    let manifest = fixture().manifest.replace(&format!(r#""bytes":{}"#, DIFF.len()), r#""bytes":0"#);
    refuses(&Fixture { manifest, ..Fixture::new(b"") }, Fault::Hash);
}

/// D-036b number 51, D-029: byte labels keep names that are not UTF-8, and have one spelling too.
#[test]
fn n51_labels() {
    for own in ["cmVmcy9wdWxsLzcvaGVhZA==", "cmVmcy9oZWFkcy9tYWlu", "ZmVhdP8="] {
        for other in ["ZmVhdP8", "ZmVhdP9=", "ZmVhdP8==", "ZmVh dP8=", "ZmVhdP_=", "=", "ZmVhdP8=\\n"] {
            refuses_manifest(own, other, Fault::Label);
        }
    }
    for name in [
        r#""ref":{"encoding":"base64","data":"cmVmcy9w"#,
        r#""ref":{"encoding":"base64","data":"cmVmcy9o"#,
        r#""branch":{"encoding":"base64""#,
    ] {
        refuses_manifest(name, &name.replace("base64", "utf8"), Fault::Label);
    }
    accepts(&fixture().with("ZmVhdP8=", ""));
}

/// D-018, late failure: a good beginning, and an error alone at the end; whoever goes on after it gets no further.
#[test]
fn late_failure_yields_an_error_alone() {
    struct Objecting;
    impl Sink for Objecting {
        type Output = ();
        fn push(&mut self, _: &[u8]) {}
        fn finish(self) -> Result<(), Error> {
            Err(Error::NoSuchPath { path: "x".into() })
        }
    }
    let good = fixture().entity();
    let mut corrupt = good.clone();
    let at = corrupt.len() - 8;
    corrupt[at] = if corrupt[at] == b'A' { b'B' } else { b'A' };
    let run = |entity: &[u8]| {
        let mut verifier = Verifier::new(seven(), entity.len() as u64, Objecting);
        entity.chunks(10).for_each(|piece| drop(verifier.feed(piece)));
        verifier.finish().map(|_| ()).unwrap_err()
    };
    // S-008: what the sink has against the diff is said only of a verified one.
    assert_eq!(run(&good), Error::NoSuchPath { path: "x".into() });
    assert_eq!(run(&corrupt), Fault::Hash.into());
    let mut verifier = Verifier::new(seven(), good.len() as u64, Capture::new(0));
    let first = verifier.feed(b"[").unwrap_err();
    assert_eq!(verifier.feed(&good[1..]), Err(first.clone()));
    assert_eq!(verifier.finish().map(|_| ()).unwrap_err(), first);
}

/// D-077: no sentence repeats what the forge sent.
#[test]
fn faults_repeat_nothing() {
    for entity in [replaced("observed_input_range", "Sekret"), replaced("2.47.3\"", "2.47.3\",\"Sekret\":1")] {
        assert!(!verify(&entity).map(|_| ()).unwrap_err().to_string().contains("Sekret"));
    }
}

/// D-061, D-062: 3 MiB in both orders; what is held does not grow with them.
#[test]
fn memory_does_not_grow_with_the_diff() {
    let diff: Vec<u8> =
        (0..3_u32 << 20).map(|n| u8::try_from(n.wrapping_mul(2_654_435_761) >> 24).expect("a byte")).collect();
    for entity in Fixture::new(&diff).orders() {
        let mut verifier = Verifier::new(seven(), entity.len() as u64, Capture::new(0));
        for piece in entity.chunks(16 * 1024) {
            verifier.feed(piece).expect("sound");
            assert!(verifier.allocated() < 64 * 1024, "{}", verifier.allocated());
        }
        let evidence = verifier.finish().expect("sound");
        assert_eq!(evidence.output.count, diff.len() as u64);
        assert_eq!(evidence.output.sha256, <[u8; 32]>::from(Sha256::digest(&diff)));
    }
}

/// The sound entity with one byte changed: a refusal, or the same diff under a manifest that shows the change.
fn judge_flip(entity: &[u8], manifest: &str) {
    if let Ok(evidence) = verify(entity) {
        assert_eq!(evidence.output.window, DIFF);
        assert_ne!(evidence.manifest.raw(), manifest, "{}", String::from_utf8_lossy(entity));
    }
}

/// D-018 (c): each bit of the entity.
#[test]
fn no_flipped_bit_changes_the_diff() {
    let fixture = fixture();
    for entity in [&fixture.orders()[0], &fixture.orders()[5]] {
        for at in 0..entity.len() {
            for bit in 0..8 {
                let mut flipped = entity.clone();
                flipped[at] ^= 1 << bit;
                judge_flip(&flipped, &fixture.manifest);
            }
        }
    }
}

proptest! {
    /// D-018 (c): any other byte, too.
    #[test]
    fn no_changed_byte_changes_the_diff(at in any::<prop::sample::Index>(), change in 1_u8.., order in 0_usize..6) {
        let fixture = fixture();
        let mut entity = fixture.orders()[order].clone();
        let at = at.index(entity.len());
        entity[at] ^= change;
        judge_flip(&entity, &fixture.manifest);
    }

    /// D-078: any chunking gives the same verdict, of sound and of spoiled entities.
    #[test]
    fn any_chunking_gives_the_same_verdict(
        diff in prop::collection::vec(any::<u8>(), 0..40_000),
        order in 0_usize..6,
        sizes in prop::collection::vec(1_usize..20_000, 1..9),
        spoil in prop::option::of((any::<prop::sample::Index>(), 1_u8..)),
    ) {
        let fixture = Fixture::new(&diff);
        let mut entity = fixture.orders()[order].clone();
        if let Some((at, change)) = spoil {
            let at = at.index(entity.len());
            entity[at] ^= change;
        }
        let verdict = verify(&entity).map(|evidence| (evidence.manifest, evidence.output));
        let mut verifier = Verifier::new(seven(), entity.len() as u64, Capture::new(0));
        let mut rest = entity.as_slice();
        for size in sizes.iter().cycle() {
            let (piece, left) = rest.split_at((*size).min(rest.len()));
            if piece.is_empty() || verifier.feed(piece).is_err() {
                break;
            }
            rest = left;
        }
        let chunked = verifier.finish().map(|evidence| {
            let evidence = evidence.into_inner();
            (evidence.manifest, evidence.output)
        });
        if spoil.is_none() {
            prop_assert_eq!(verdict.as_ref().map(|(_, captured)| captured.count), Ok(diff.len() as u64));
        }
        prop_assert_eq!(chunked, verdict);
    }

    /// Hostile bytes never panic, alone or in the place of a part.
    #[test]
    fn takes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1_usize..40, length in any::<u64>()) {
        let _ = verify_by(&bytes, length, size);
        let _ = verify_by(&bytes, bytes.len() as u64, size);
        let mut entity = fixture().entity();
        let at = entity.len() / 2;
        entity.splice(at..at, bytes);
        if let Ok(evidence) = verify_by(&entity, entity.len() as u64, size) {
            prop_assert_eq!(evidence.output.window, DIFF);
        }
    }
}
