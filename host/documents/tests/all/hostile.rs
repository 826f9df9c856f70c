//! Texts that somebody chose to do harm with.

use assay_documents::{EntryFacts, Fault, NewCheckpoint, NewScopeSnapshot, NewTarget, Scope};

use crate::ground::{Place, accepted, created, entry, hash, new_target, on_both, rejected};

/// Quotes, comments, parameters, escapes, controls, what is no character, directions, what looks like another type.
const TEXTS: [&str; 12] = [
    "'); DROP TABLE append_only_pdcp_logs; --",
    "\" OR 1=1 /*",
    "$1 ?1 :a @a %s {} \\'",
    "\\x00\\u0000\\000 E'\\n'",
    "\u{1}\u{7}\u{8}\u{1b}[31m\u{7f}\r\r\n\n\t",
    "\u{fffd}\u{fffe}\u{ffff}\u{10ffff}\u{1f9ea}",
    "\u{202e}evil\u{2066}\u{200b}\u{feff}",
    "e\u{301} é ﬁ İ ß",
    "",
    " ",
    "NULL",
    "123456789012345678901234567890",
];

/// JSON of the same.
fn json(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if u32::from(c) < 0x20 => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("{{\"{escaped}\":\"{escaped}\"}}")
}

on_both! {
    /// P-059, P-082: in every column a text is only a text, and comes back as it was.
    async fn any_text_is_only_a_text(place: &Place) {
        let store = place.open().await;
        for (round, text) in TEXTS.iter().enumerate() {
            let text = (*text).to_owned();
            let some = || Some(text.clone());
            let mut transaction = store.begin().await.expect("begun");
            let new = NewTarget {
                owner: text.clone(),
                workspace_path: some(),
                workspace_root_identity: some(),
                source_line_endings: Some(json(&text)),
                line_endings: some(),
                ..new_target(&text)
            };
            let id = transaction.create(new.clone()).await.expect("created").target_file_id;
            let target = transaction.lock(&text, &id).await.expect("read").expect("there");
            assert_eq!((&target.content, &target.head.owner), (&text, &text));
            assert_eq!((&target.line_endings, &target.head.workspace_path), (&some(), &some()));
            assert_eq!(target.head.workspace_root_identity, some());
            assert_eq!(target.head.source_line_endings, Some(json(&text)));

            let mut no = rejected(&id, &text);
            let facts = &mut no.facts;
            facts.validation_stage.clone_from(&text);
            facts.protocol_version.clone_from(&text);
            facts.client_request_id = Some(format!("{text}{round}"));
            for column in [
                &mut facts.failure_reason,
                &mut facts.failure_detail,
                &mut facts.failed_change_id,
                &mut facts.runtime_version,
                &mut facts.submission_source,
                &mut facts.regeneration_source,
            ] {
                *column = some();
            }
            for column in [&mut facts.warnings_json, &mut facts.diagnostic_json] {
                *column = Some(json(&text));
            }
            let appended = transaction.append(no.clone(), Vec::new(), None).await.expect("appended");
            let stored = transaction.attempt(&id, &appended.id, true).await.expect("read").expect("there");
            assert_eq!((stored.facts, stored.pdcp_content), (no.facts.clone(), Some(text.clone())));
            let key = no.facts.client_request_id.expect("given");
            assert!(transaction.keyed(&id, &key).await.expect("read").is_some());

            let (yes, state) = accepted(&target, &format!("{text}{text}"));
            let change = EntryFacts {
                change_id: text.clone(),
                intent: text.clone(),
                input_state: some(),
                output_state: some(),
                affected_region: some(),
                user_visible_change: some(),
                risk: some(),
                derived_json: Some(json(&text)),
            };
            let appended = transaction.append(yes, vec![change.clone()], Some(state)).await.expect("appended");
            assert_eq!(transaction.ledger_of(&appended.id).await.expect("read")[0].facts, change);
            let published = NewCheckpoint { publication_json: Some(json(&text)), synced: None };
            transaction.checkpoint(&id, published).await.expect("saved");

            let scope = Scope {
                scope_id: format!("{text}{round}"),
                kind: text.clone(),
                name: some(),
                path: some(),
                sha256: hash(&text),
                parser: text.clone(),
                grammar_version: some(),
                ..Scope::default()
            };
            let snapshot = NewScopeSnapshot { target_file_id: id, version: 2, current_hash: hash(&text) };
            let put = transaction.put_scopes(snapshot, vec![scope.clone()]).await.expect("put");
            assert_eq!(transaction.scopes(&put.id, std::slice::from_ref(&scope.scope_id)).await, Ok(vec![scope]));
            transaction.commit().await.expect("committed");
        }
        assert_eq!(place.number("SELECT count(*) FROM append_only_pdcp_logs").await, 2 * TEXTS.len() as i64);
    }

    /// P-100, P-108: NUL is refused before it reaches a database, on either, and nothing is found by it. A lone
    /// surrogate cannot even be handed over: texts here are UTF-8.
    async fn nul_is_never_stored(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let nul = || "a\0b".to_owned();

        let mut transaction = store.begin().await.expect("begun");
        let fault = transaction.create(NewTarget { content: nul(), ..new_target("x") }).await.expect_err("NUL");
        assert_eq!(fault, Fault::Unstorable("cloud_target_files.content".to_owned()));
        assert_eq!(transaction.commit().await, Err(Fault::Aborted));

        let mut transaction = store.begin().await.expect("begun");
        let mut attempt = rejected(&id, "p");
        attempt.facts.submission_source = Some(nul());
        let fault = transaction.append(attempt, Vec::new(), None).await.expect_err("NUL");
        assert_eq!(fault, Fault::Unstorable("append_only_pdcp_logs.submission_source".to_owned()));
        drop(transaction);

        for (spoil_entry, spoil_state) in [(true, false), (false, true)] {
            let mut transaction = store.begin().await.expect("begun");
            let target = transaction.lock("", &id).await.expect("read").expect("there");
            let (attempt, mut state) = accepted(&target, "y");
            let mut change = entry("chg_001");
            if spoil_entry {
                change.risk = Some(nul());
            }
            if spoil_state {
                state.content = nul();
            }
            let fault = transaction.append(attempt, vec![change], Some(state)).await.expect_err("NUL");
            assert!(matches!(fault, Fault::Unstorable(_)), "{fault}");
            assert_eq!(transaction.commit().await, Err(Fault::Aborted), "half of it is not kept");
        }
        let mut transaction = store.begin().await.expect("begun");
        let published = NewCheckpoint { publication_json: Some(nul()), synced: None };
        let fault = transaction.checkpoint(&id, published).await.expect_err("NUL");
        assert!(matches!(fault, Fault::Unstorable(_)), "{fault}");
        drop(transaction);

        let mut view = store.view().await.expect("begun");
        assert_eq!(view.target("\0", &id).await, Ok(None));
        assert_eq!(view.target("", &format!("{id}\0")).await, Ok(None));
        assert_eq!(view.keyed(&id, "\0").await, Ok(None));
        assert_eq!(view.scopes("\0", &["\0".to_owned()]).await, Ok(Vec::new()));
        assert_eq!(view.target("", &id).await.expect("read").expect("there").head.version, 1);
        assert_eq!(place.number("SELECT count(*) FROM append_only_pdcp_logs").await, 0);
    }

    /// P-053: a text of the greatest size, and a payload of it, come back to the byte.
    async fn a_megabyte_is_stored(place: &Place) {
        let store = place.open().await;
        let large: String = (0..1_048_576_u32 / 4).filter_map(|at| char::from_u32(0x1_0000 + at % 0xffff)).collect();
        assert_eq!(large.len(), 1_048_576);
        let mut transaction = store.begin().await.expect("begun");
        let id = transaction.create(new_target("x")).await.expect("created").target_file_id;
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let (mut attempt, state) = accepted(&target, &large);
        attempt.pdcp_content.clone_from(&large);
        let appended = transaction.append(attempt, Vec::new(), Some(state)).await.expect("appended");
        transaction.commit().await.expect("committed");
        let mut view = store.view().await.expect("begun");
        assert!(view.target("", &id).await.expect("read").expect("there").content == large);
        let stored = view.accepted_after(&id, appended.log_sequence - 1, 1).await.expect("read");
        assert!(stored[0].pdcp_content.as_ref() == Some(&large));
    }
}
