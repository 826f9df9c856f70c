//! Releases as rows of a list: of the notes the size alone, of the assets the first ones.

use serde::{Deserialize, Serialize};

use crate::lenient::{LenientFew, Scalar, TextBytes, Title};

/// Assets of one release that are shown.
const ASSETS: usize = 20;

/// What is shown of a release, in this order; null where the forge gave nothing sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Wire")]
pub struct ReleaseRow {
    id: Option<u64>,
    tag_name: Option<String>,
    name: Option<String>,
    /// Stands only on a name that is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_truncated: Option<bool>,
    draft: Option<bool>,
    prerelease: Option<bool>,
    published_at: Option<String>,
    target: Option<String>,
    /// Of the notes, which no row has.
    body_bytes: Option<usize>,
    assets: Option<Vec<Asset>>,
    assets_left_out: u64,
}

/// What is shown of an asset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asset {
    id: Option<u64>,
    name: Option<String>,
    size: Option<u64>,
}

impl ReleaseRow {
    /// As the forge numbers it.
    #[must_use]
    pub const fn id(&self) -> Option<u64> {
        self.id
    }

    /// The tag that it is of, of which there is one in a repository.
    #[must_use]
    pub fn tag_name(&self) -> Option<&str> {
        self.tag_name.as_deref()
    }

    /// Bytes of the assets that are shown.
    #[must_use]
    pub fn asset_bytes(&self) -> usize {
        self.assets.iter().flatten().map(|asset| asset.name.as_ref().map_or(4, String::len) + 32).sum()
    }

    /// Counts the assets instead of showing them.
    pub fn leave_assets_out(&mut self) {
        if let Some(assets) = &mut self.assets {
            self.assets_left_out += assets.len() as u64;
            assets.clear();
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    id: Scalar,
    tag_name: Scalar,
    name: Title,
    draft: Scalar,
    prerelease: Scalar,
    published_at: Scalar,
    target_commitish: Scalar,
    body: TextBytes,
    assets: LenientFew<WireAsset, ASSETS>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WireAsset {
    id: Scalar,
    name: Scalar,
    size: Scalar,
}

impl From<Wire> for ReleaseRow {
    fn from(wire: Wire) -> Self {
        let asset = |asset: WireAsset| Asset { id: asset.id.id(), name: asset.name.text(), size: asset.size.count() };
        let assets = wire.assets.0;
        let (name, name_truncated) = wire.name.shown();
        Self {
            id: wire.id.id(),
            tag_name: wire.tag_name.text(),
            name,
            name_truncated,
            draft: wire.draft.boolean(),
            prerelease: wire.prerelease.boolean(),
            published_at: wire.published_at.moment(),
            target: wire.target_commitish.text(),
            body_bytes: wire.body.0,
            assets_left_out: assets.as_ref().map_or(0, |assets| assets.left_out),
            assets: assets.map(|assets| assets.first.into_iter().map(asset).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn row(forge: &Value) -> ReleaseRow {
        serde_json::from_value(forge.clone()).expect("any object")
    }

    fn shown(row: &ReleaseRow) -> String {
        serde_json::to_string(row).expect("plain members")
    }

    /// K-06, K-58.
    #[test]
    fn a_row_is_small() {
        let release = json!({
            "id": 9_007_199_254_740_993_u64, "tag_name": "v1", "name": "One →", "body": "語".repeat(10_000), "draft": false,
            "prerelease": true, "published_at": "2026-12-02T01:14:52Z", "target_commitish": "main",
            "author": {"login": "alice"}, "assets": [{"id": 3, "name": "a.tar.gz", "size": 0, "uuid": "u"}],
        });
        let expected = r#"{"id":9007199254740993,"tag_name":"v1","name":"One →","draft":false,"prerelease":true,"published_at":"2026-12-02T01:14:52Z","target":"main","body_bytes":30000,"assets":[{"id":3,"name":"a.tar.gz","size":0}],"assets_left_out":0}"#;
        assert_eq!(shown(&row(&release)), expected);
    }

    /// G-154: what is left out is counted, what is not sound is null.
    #[test]
    fn what_is_missing_is_said() {
        let shape = |row: &ReleaseRow| (row.assets.as_ref().map(Vec::len), row.assets_left_out, row.asset_bytes());
        let mut many = row(&json!({"assets": vec![json!({"id": 1, "name": "x", "size": 1}); 1_000]}));
        assert_eq!(shape(&many), (Some(20), 980, 20 * 33));
        many.leave_assets_out();
        assert_eq!(shape(&many), (Some(0), 1_000, 0));
        let mut nothing = row(&json!({"id": "1", "draft": 0, "body": 7, "assets": {}, "published_at": ""}));
        nothing.leave_assets_out();
        assert_eq!(
            shown(&nothing),
            r#"{"id":null,"tag_name":null,"name":null,"draft":null,"prerelease":null,"published_at":null,"target":null,"body_bytes":null,"assets":null,"assets_left_out":0}"#
        );
    }
}
