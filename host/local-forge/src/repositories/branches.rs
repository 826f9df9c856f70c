//! The answers about branches and refs.

use http::StatusCode;

use crate::{
    serve::{routes::One, target::Query},
    wire::{
        answer::{Answer, json},
        shapes,
    },
};

impl One<'_> {
    pub(crate) fn branches(&self, query: &Query) -> Answer {
        let page = self.forge.page(query);
        let shown = page.cut(self.snapshot.branches().map(|(name, tip)| self.branch_shape(name, tip)));
        // Go's nil slice: an empty repository has `null` branches.
        let shown = (!self.snapshot.is_empty()).then_some(shown);
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, self.snapshot.branches().count(), &format!("{}/branches", self.api()), query);
        answer
    }

    pub(crate) fn branch(&self, name: &[u8]) -> Answer {
        match self.snapshot.branch(name) {
            Some(tip) => json(StatusCode::OK, &self.branch_shape(name, tip)),
            None => {
                let reason = format!("branch does not exist [name: {}]", shapes::text(name));
                self.forge.wording.not_found_because(reason)
            }
        }
    }

    pub(crate) fn refs(&self, prefix: &[u8]) -> Answer {
        let api = self.api();
        let refs: Vec<_> = self.snapshot.refs(prefix).map(|tip| shapes::Reference::new(tip, &api)).collect();
        if refs.is_empty() { self.forge.wording.not_found() } else { json(StatusCode::OK, &refs) }
    }

    fn branch_shape(&self, name: &[u8], tip: &crate::git::copy::Tip) -> shapes::Branch {
        shapes::Branch::new(name, tip, &self.web(), self.may_write())
    }
}
