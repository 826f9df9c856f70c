//! How a released forge's answers look: wording and framing, pages and parts, redirects, the JSON objects.

pub(crate) mod answer;
pub(crate) mod base64_body;
pub(crate) mod exact;
pub(crate) mod page;
pub(crate) mod range;
pub(crate) mod redirect;
pub(crate) mod shapes;
pub(crate) mod sniff;
