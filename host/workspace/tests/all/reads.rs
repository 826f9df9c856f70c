//! Reading: the bytes as they are, within the bound.

use assay_workspace::{Digest, Refusal};

use crate::ground::{Ground, path, refused};

/// P-006, X-02, E-15: bytes are not looked into, whatever they are, and the digest is theirs.
#[test]
fn bytes_come_as_they_are() {
    let ground = Ground::new();
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    let contents: [&[u8]; 6] =
        [b"", b"\xef\xbb\xbfhello\n", b"a\r\nb\nc\rd", b"no end", b"\0\xff\xfe not text", &large];
    for bytes in contents {
        ground.put("dir/\u{9032}\u{884c} \n", bytes);
        for workspace in ground.walks() {
            let file = workspace.read(&path("dir/\u{9032}\u{884c} \n"), large.len() as u64).expect("it reads");
            assert!(file.bytes == bytes);
            assert_eq!((file.sha256, file.nlink), (Digest::of(bytes), 1));
        }
    }
}

/// PG-12: a file of exactly the bound is read, one byte more is refused with both numbers.
#[test]
fn the_bound_is_inclusive() {
    let ground = Ground::new();
    ground.put("file", "12345");
    for workspace in ground.walks() {
        assert_eq!(workspace.read(&path("file"), 5).expect("it is within").bytes, b"12345");
        let refusal = workspace.read(&path("file"), 4).expect_err("it is above");
        assert!(matches!(refusal, Refusal::TooLarge { bytes: 5, max_bytes: 4, .. }), "{refusal}");
        assert_eq!(refusal.name(), "too_large");
    }
}

/// what is not there is said to be so, and a sentence shows any path in one bounded line.
#[test]
fn what_is_not_there_is_said() {
    let ground = Ground::new();
    ground.put("dir/file", "");
    for workspace in ground.walks() {
        for name in ["none", "dir/none", "none/file"] {
            assert_eq!(refused(&workspace, name).name(), "not_found", "{name}");
        }
        let said = refused(&workspace, &format!("\n\u{1b}[31m{}", "long/".repeat(100) + "x")).to_string();
        assert!(said.len() < 400 && !said.contains(['\n', '\u{1b}']), "{said}");
    }
}
