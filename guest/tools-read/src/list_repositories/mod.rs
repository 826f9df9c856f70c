//! `list_repositories`: what the caller can see, or what one owner has of it (G-090 to G-103).

use assay_envelope::{Arguments, Refusal};
use assay_forge::{Owner, account::Account, http::Subject, listing::Asked};
use assay_origin::{Fault, Lists, refuse};
use serde::Serialize;

use crate::{
    native_list::{read_answer, take_page},
    ports::Ports,
    repositories::{Members, Page, Rows},
};

/// Rows to a page, which a forge grants by default.
const LIMIT: u64 = 50;

const ADVICE: &str = "Use `search_repositories` with a smaller `limit`, or a shorter request id.";

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let owner = arguments.optional_text("owner", (1, 255))?.map(Owner::new).transpose().map_err(refuse)?;
    let asked = Asked { page: take_page(&mut arguments)?, limit: LIMIT };
    arguments.finish()?;
    let page = asked.page.to_string();
    let limit = LIMIT.to_string();
    let paging = [("page", page.as_str()), ("limit", limit.as_str())];
    let (owner_found, listed) = match &owner {
        // G-095.
        None => {
            let pending = ports.lists.get(&[b"user", b"repos"], &paging);
            (None, Page::read(ports, pending, Rows::Bare, asked, None)?)
        }
        Some(owner) => match resolve(ports.lists, owner)? {
            None => (Some(false), Page::empty(asked)),
            Some(Account { id, .. }) => {
                // G-090, G-091.
                let uid = id.to_string();
                let query = [[("uid", uid.as_str()), ("exclusive", "true")], paging].concat();
                let pending = ports.lists.get(&[b"repos", b"search"], &query);
                (Some(true), Page::read(ports, pending, Rows::InData, asked, Some(id))?)
            }
        },
    };
    let owner = owner.as_ref().map(Owner::as_str);
    listed.render(room, ADVICE, |members| {
        serde_json::to_string(&Answer { owner, owner_found, members }).expect("its members have string keys")
    })
}

#[derive(Serialize)]
struct Answer<'a> {
    owner: Option<&'a str>,
    owner_found: Option<bool>,
    #[serde(flatten)]
    members: Members<'a>,
}

/// What forges answer where an account has another name by now: with a way to the same route of that name. Every other
/// redirect is of a forge that lives elsewhere, and says nothing about the owner (G-051, G-053).
const RENAMED: u16 = 307;

/// The account of that name. None where there is none, where it has another name by now, or where the forge answers with
/// another one's (G-101, G-101a).
fn resolve(lists: &dyn Lists, owner: &Owner) -> Result<Option<Account>, Refusal> {
    let answer = match lists.get(&[b"users", owner.as_str().as_bytes()], &[]).wait() {
        Err(Fault::Moved(RENAMED)) => return Ok(None),
        answer => answer?,
    };
    if answer.status() == 404 {
        return Ok(None);
    }
    let (account, _) = read_answer(answer, Subject::OWNER, |json| Account::read(json))?;
    Ok(Some(account).filter(|account| account.is_called(owner.as_str())))
}
