//! What is not what was written, or is there already.

use assay_documents::{Options, Places, Unread};

use super::{busy, exported, imported, rows, sealed};
use crate::ground::{Place, created, on_both, step};

on_both! {
    /// an id that is there already is refused, and nothing is half-written.
    async fn what_is_there_already_is_refused(place: &Place) {
        let store = place.open().await;
        let id = busy(&store).await;
        let lines = exported(&store, std::slice::from_ref(&id)).await;
        let before = rows(place).await;
        for places in [Places::Kept, Places::New] {
            let refused = imported(&store, &lines, places).await.expect_err("it is there");
            assert!(matches!(&refused, Unread::Taken { what: "document", id: taken } if *taken == id), "{refused}");
        }
        assert_eq!(rows(place).await, before);
    }

    /// a database has one count of places. Where they are taken that is said, and with new ones the order stays.
    async fn places_that_are_taken_are_told(place: &Place) {
        let one = Place::sqlite();
        let one = one.open_with(Options::default()).await;
        let id = busy(&one).await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let store = place.open().await;
        let own = created(&store, "x").await;
        step(&store, &own, 1).await.expect("stepped");
        let before = rows(place).await;
        let refused = imported(&store, &lines, Places::Kept).await.expect_err("they are taken");
        assert!(matches!(refused, Unread::PlaceTaken { what: "snapshot", place: 1 }), "{refused}");
        assert_eq!(rows(place).await, before);

        imported(&store, &lines, Places::New).await.expect("taken over");
        let mut views = (one.view().await.expect("begun"), store.view().await.expect("begun"));
        let there = views.0.accepted_after(&id, 0, 50).await.expect("read");
        let here = views.1.accepted_after(&id, 0, 50).await.expect("read");
        let ids = |rows: &[assay_documents::Attempt]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&there), ids(&here));
        assert!(here.iter().all(|row| row.log_sequence > 1) && here.is_sorted_by_key(|row| row.log_sequence));
        drop(views);
        step(&store, &id, 1).await.expect("it goes on");
        step(&store, &own, 1).await.expect("and so does the other");
    }

    /// a file that lost a byte, a line or its end, or gained one, is refused at the place, and nothing is half-written.
    async fn a_damaged_file_is_refused(place: &Place) {
        let one = Place::sqlite();
        let one = one.open_with(Options::default()).await;
        let id = busy(&one).await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let store = place.open().await;
        let refused = async |damaged: &[u8]| imported(&store, damaged, Places::Kept).await.expect_err("it is damaged");

        let text = String::from_utf8(lines.clone()).expect("it is text");
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for cut in ends.iter().rev().skip(1).step_by(7) {
            let refused = refused(&lines[..*cut]).await;
            assert!(matches!(refused, Unread::CutOff { .. }), "{cut}: {refused}");
        }
        for cut in [1, lines.len() / 2, lines.len() - 1] {
            let refused = refused(&lines[..cut]).await;
            assert!(matches!(refused, Unread::CutOff { .. }), "{cut}: {refused}");
        }
        for at in (ends[0]..lines.len()).step_by(lines.len() / 17) {
            let mut damaged = lines.clone();
            damaged[at] = if damaged[at] == b'0' { b'1' } else { b'0' };
            let refused = refused(&damaged).await;
            assert!(matches!(refused, Unread::Damaged { .. } | Unread::CutOff { .. }), "{at}: {refused}");
        }
        let without: Vec<u8> = text.split_inclusive('\n').enumerate().filter(|(at, _)| *at != 9).flat_map(|(_, line)| line.bytes()).collect();
        assert!(matches!(refused(&without).await, Unread::Damaged { .. }));
        for more in ["\n", "x", &text] {
            let refused = refused(format!("{text}{more}").as_bytes()).await;
            assert!(matches!(refused, Unread::Damaged { .. }), "{more:.9}: {refused}");
        }
        assert_eq!(rows(place).await, 0);
    }

    /// what is something else, or of another form, is told as that.
    async fn another_form_is_told(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let lines = exported(&store, std::slice::from_ref(&id)).await;
        let other = |from: &str, to: &str| sealed(&lines, |line| line.replace(from, to));
        for (wrong, said) in [
            (Vec::new(), "empty"),
            (b"\x89PNG\r\n\x1a\n".to_vec(), "no history"),
            (b"diff --git a/x b/x\n".to_vec(), "no history"),
            (vec![0; 4_096], "a head"),
            (b"[[[[[[[[[[\n".to_vec(), "no history"),
            (other("assay-document-history/1", "assay-document-history/2"), "another one"),
            (other("20261105_0006", "20991231_0042"), "20991231_0042"),
            (lines.split_inclusive(|byte| *byte == b'\n').skip(1).flatten().copied().collect(), "a head"),
        ] {
            let refused = imported(&store, &wrong, Places::Kept).await.expect_err(said).to_string();
            assert!(refused.contains(said), "{refused}");
        }
    }
}
