//! What was observed of a version.

use assay_documents::{NewScopeSnapshot, Scope, ScopeSnapshot};

use crate::ground::{Place, created, hash, on_both};

on_both! {
    /// PG-28: scopes are found by their ids within one snapshot, in the order they were listed in.
    async fn scopes_are_found_by_their_ids(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let scope = |number: i64| Scope {
            scope_id: format!("scope-{number}"),
            kind: "function".to_owned(),
            name: Some(format!("f{number}")),
            path: (number % 2 == 0).then(|| format!("module.f{number}")),
            start: number,
            end: number * 3,
            sha256: hash("f"),
            parser: "tree-sitter-rust".to_owned(),
            grammar_version: Some("0.24.2".to_owned()),
            has_error: number % 3 == 0,
        };
        let new = |version| NewScopeSnapshot { target_file_id: id.clone(), version, current_hash: hash("x") };
        let scopes: Vec<_> = (0..200).rev().map(scope).collect();
        let mut transaction = store.begin().await.expect("begun");
        let put = transaction.put_scopes(new(1), scopes).await.expect("put");
        let empty = transaction.put_scopes(new(i64::MAX), Vec::new()).await.expect("put");
        transaction.commit().await.expect("committed");
        assert_ne!(put.id, empty.id);

        let mut view = store.view().await.expect("begun");
        let ScopeSnapshot { id: put_id, created_at, .. } = put.clone();
        assert_eq!(view.scope_snapshot(&put_id).await, Ok(Some(put.clone())));
        assert_eq!((put.target_file_id, put.version, put.current_hash), (id.clone(), 1, hash("x")));
        assert_eq!(created_at.len(), 27);
        assert_eq!(view.scope_snapshot(&empty.id).await, Ok(Some(empty.clone())));
        assert_eq!(view.scope_snapshot("nowhere").await, Ok(None));
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let wanted = ids(&["scope-7", "scope-199", "nowhere", "scope-0", "scope-7"]);
        assert_eq!(view.scopes(&put_id, &wanted).await, Ok(vec![scope(199), scope(7), scope(0)]));
        assert_eq!(view.scopes(&empty.id, &wanted).await, Ok(Vec::new()));
        assert_eq!(view.scopes(&put_id, &[]).await, Ok(Vec::new()));
    }
}
