//! What is shown of the program on a forge: it reads files and diffs to their ends, and what it says of them is so.

use anyhow::{Context as _, Result, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::{
    admission::Admitted,
    talk::{Called, Talk},
};

/// Runs all of them; what was shown, in words.
pub(crate) async fn all(talk: &mut Talk, at: &Admitted) -> Result<Vec<String>> {
    let listed = talk.ask("tools/list", json!({})).await?;
    let tools = listed["tools"].as_array().context("tools")?.len();
    ensure!(tools > 0, "there are tools");
    let mut shown = vec![format!("{tools} tools are listed")];
    shown.push(a_file(talk, at).await.context("reading a file")?);
    shown.push(diffs(talk, at).await.context("reading diffs")?);
    let missing = json!({"owner": at.owner, "repo": "no-such-repository-here", "index": 1});
    let refused = talk.call("get_pull_request", &missing).await?;
    ensure!(matches!(refused, Called::Refused(_)), "a missing repository is refused");
    shown.push("a missing repository is refused".to_owned());
    let strangers = [None, Some("Basic eDp5"), Some("Bearer 0000000000000000000000000000000000000000")];
    for authorization in strangers {
        if let Some(status) = talk.status_with(authorization).await? {
            ensure!(status == 401, "HTTP {status} to a stranger");
            shown.push(format!("{} is answered with 401", authorization.map_or("no credential", |_| "a bad one")));
        }
    }
    Ok(shown)
}

/// The first regular file of the root, read to its end: its bytes have the id that the tree gives.
async fn a_file(talk: &mut Talk, at: &Admitted) -> Result<String> {
    let tree = talk.answer("list_tree", &json!({"owner": at.owner, "repo": at.repo})).await?;
    let entries = tree["entries"].as_array().context("entries")?;
    let file = entries.iter().find(|entry| entry["type"] == "file").context("a regular file in the root")?;
    let (path, id) = (file["path"].clone(), file["sha"].as_str().context("an id")?);
    let mut arguments = json!({"owner": at.owner, "repo": at.repo, "path": path});
    let mut bytes = Vec::new();
    loop {
        let page = talk.answer("get_file", &arguments).await?;
        match page["data"].as_str() {
            None => bytes.extend(page["text"].as_str().context("a small file has its text")?.bytes()),
            Some(data) => bytes.extend(STANDARD.decode(data)?),
        }
        if page["next_cursor"].is_null() {
            break;
        }
        arguments["cursor"] = page["next_cursor"].clone();
    }
    let mut blob = format!("blob {}\0", bytes.len()).into_bytes();
    blob.extend(&bytes);
    let computed = if id.len() == 40 { hex(&Sha1::digest(&blob)) } else { hex(&Sha256::digest(&blob)) };
    ensure!(computed == id, "{path}: {computed} is not {id}");
    Ok(format!("{path} has the id that its tree gives"))
}

/// Every open pull request's diff, up to five, read to its end: the windows are the whole that the manifest describes.
async fn diffs(talk: &mut Talk, at: &Admitted) -> Result<String> {
    let (mut read, mut bytes_read) = (0, 0);
    for index in 1..=5_u32 {
        let mut arguments = json!({"owner": at.owner, "repo": at.repo, "index": index});
        let mut bytes = Vec::new();
        let last = loop {
            let page = match talk.call("get_pull_request_diff", &arguments).await? {
                Called::Answer(page) => page,
                Called::Refused(why) if why.starts_with("not_found") && bytes.is_empty() => break None,
                Called::Refused(why) => anyhow::bail!("#{index}: {why}"),
            };
            bytes.extend(STANDARD.decode(page["data"].as_str().context("data")?)?);
            if page["eof"] == true {
                break Some(page);
            }
            arguments["cursor"] = page["next_cursor"].clone();
        };
        let Some(last) = last else { continue };
        ensure!(last["manifest"]["content"]["sha256"] == hex(&Sha256::digest(&bytes)), "#{index}: its hash");
        read += 1;
        bytes_read += bytes.len();
    }
    ensure!(read > 0, "there is a pull request among the first five numbers");
    Ok(format!("{read} diffs of {bytes_read} bytes are what their receipts say"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
