//! Files whose end is true of them, and whose rows are no history: somebody wrote them by hand.

use assay_documents::{Options, Places, Unread};

use super::{busy, exported, imported, rows, sealed};
use crate::ground::{Place, created, on_both, step};

/// The lines of one table.
fn of(table: &str) -> String {
    format!("{{\"row\":{{\"table\":\"{table}\"")
}

on_both! {
    /// rows that are not one document's, contradict each other or the schema, or lead to another document, are refused.
    async fn a_forged_file_is_refused(place: &Place) {
        let one = Place::sqlite();
        let one = one.open_with(Options::default()).await;
        let id = busy(&one).await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let store = place.open().await;
        let own = created(&store, "x").await;
        for _ in 0..50 {
            step(&store, &own, 1).await.expect("stepped");
        }
        let theirs = {
            let mut view = store.view().await.expect("begun");
            view.accepted_after(&own, 0, 1).await.expect("read")[0].id.clone()
        };
        let before = rows(place).await;
        let text = std::str::from_utf8(&lines).expect("it is text");
        let attempts: Vec<&str> = text.lines().filter(|line| line.starts_with(&of("append_only_pdcp_logs"))).collect();
        let first = serde_json::from_str::<serde_json::Value>(attempts[0]).expect("JSON");
        let rejected = first["row"]["columns"]["id"].as_str().expect("an id").to_owned();
        let second = serde_json::from_str::<serde_json::Value>(attempts[1]).expect("JSON");
        let accepted = second["row"]["columns"]["id"].as_str().expect("an id").to_owned();
        let in_lines = |table: &str, from: &str, to: &str| {
            let (table, from, to) = (of(table), from.to_owned(), to.to_owned());
            sealed(&lines, move |line| if line.starts_with(&table) { line.replacen(&from, &to, 1) } else { line.to_owned() })
        };
        let without = |part: &str| {
            let part = part.to_owned();
            sealed(&lines, move |line| if line.contains(&part) { String::new() } else { line.to_owned() })
        };
        let logs = "append_only_pdcp_logs";
        let ledger = "append_only_manifest_ledger";
        let cases = [
            (in_lines(logs, &id, &own), "another's"),
            (in_lines("editing_cycles", &id, &own), "another's"),
            (in_lines(ledger, &accepted, &theirs), "no accepted attempt of its document"),
            (in_lines(ledger, &accepted, &rejected), "no accepted attempt of its document"),
            (in_lines(logs, &format!("\"parent_pdcp_log_id\":\"{rejected}\""), &format!("\"parent_pdcp_log_id\":\"{theirs}\"")), "mends none"),
            (in_lines(logs, &format!("\"parent_pdcp_log_id\":\"{rejected}\""), &format!("\"parent_pdcp_log_id\":\"{accepted}\"")), "mends none"),
            (in_lines(logs, "no 0", "no X"), "has not the hash"),
            (in_lines("target_snapshots", "\"content\":\"a", "\"content\":\"b"), "has not the hash"),
            (in_lines(logs, "\"status\":\"accepted\"", "\"status\":\"maybe\""), "schema refuses"),
            (in_lines(logs, "\"validation_stage\":\"ACCEPTED\"", "\"validation_stage\":null"), "schema refuses"),
            (in_lines(ledger, "\"origin\":\"typed\"", "\"origin\":\"other\""), "schema refuses"),
            (in_lines(logs, "{\\\"z\\\":1.50", "{\\\"z\\\":"), "schema refuses"),
            (in_lines(logs, "\"client_request_id\":\"no-3\"", "\"client_request_id\":\"no-2\""), "schema refuses"),
            (in_lines(logs, "\"log_sequence\":3,", "\"log_sequence\":2,"), "out of its order"),
            (in_lines(logs, "\"log_sequence\":1,", "\"log_sequence\":0,"), "out of its order"),
            (in_lines(logs, "\"after_version\":3,", "\"after_version\":99,"), "as version 3 is no state"),
            (in_lines("target_snapshots", "\"snapshot_type\":\"initial_upload\"", "\"snapshot_type\":\"save_checkpoint\""), "no first text"),
            (in_lines("editing_cycles", "\"closed_at\":\"", "\"closed_at\":null,\"opened_at\":\""), "twice"),
            (without("\"cycle_number\":4"), "not open"),
            (without("\"cycle_number\":2"), "not of the editing cycle before it"),
            (without(&of("cloud_target_files")), "before its document"),
            (without(&of("observed_scope_snapshots")), "another's"),
        ];
        for (at, (forged, said)) in cases.into_iter().enumerate() {
            assert_ne!(forged, lines, "{at} changes nothing");
            let refused = imported(&store, &forged, Places::New).await.expect_err(said);
            assert!(matches!(refused, Unread::Damaged { .. }), "{at}: {refused}");
            assert!(refused.to_string().contains(said), "{at}: {refused}");
        }
        // An attempt that nothing leads to stands behind the ledger.
        let last = attempts[22];
        let mut turned: Vec<&str> = text.lines().filter(|line| *line != last).collect();
        let at = turned.iter().rposition(|line| line.starts_with(&of(ledger))).expect("there is one");
        turned.insert(at + 1, last);
        let turned = sealed(turned.join("\n").as_bytes(), str::to_owned);
        let refused = imported(&store, &turned, Places::New).await.expect_err("out of order").to_string();
        assert!(refused.contains("the attempt is out of its order"), "{refused}");
        assert_eq!(rows(place).await, before);
        imported(&store, &sealed(&lines, str::to_owned), Places::New).await.expect("the helper is right");
    }
}
