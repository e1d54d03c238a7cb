//! The structure of a message: which bytes are prose, where sentences and paragraphs are (P1, P2).

mod paragraphs;
mod sentences;
mod structure;
mod view;

pub(crate) use paragraphs::{Paragraph, paragraphs};
pub(crate) use sentences::fold;
pub(crate) use structure::{Structure, structure};
pub(crate) use view::{Span, View};
