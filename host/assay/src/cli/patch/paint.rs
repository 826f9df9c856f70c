//! Colour, where somebody sees it.

use std::{env, io::IsTerminal as _};

use clap::{
    ColorChoice,
    builder::styling::{AnsiColor, Style},
};

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Head,
    Place,
    Gone,
    Come,
}

/// Whether text is coloured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    colours: bool,
}

impl Paint {
    /// As it was chosen; without a choice on a terminal that wants colours.
    pub(super) fn of(choice: ColorChoice) -> Self {
        let wanted = || {
            let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
            !refused && !dumb && std::io::stdout().is_terminal()
        };
        let colours = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => wanted(),
        };
        Self { colours }
    }

    /// A piece of a line, which has nothing in it that drives a terminal.
    pub(super) fn piece(self, piece: Piece, text: &str) -> String {
        if !self.colours || text.is_empty() {
            return text.to_owned();
        }
        let style = match piece {
            Piece::Head => Style::new().bold(),
            Piece::Place => AnsiColor::Cyan.on_default(),
            Piece::Gone => AnsiColor::Red.on_default(),
            Piece::Come => AnsiColor::Green.on_default(),
        };
        format!("{style}{text}{style:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_followed() {
        let (always, never) = (Paint::of(ColorChoice::Always), Paint::of(ColorChoice::Never));
        assert_eq!(always.piece(Piece::Gone, "-a"), "\u{1b}[31m-a\u{1b}[0m");
        assert_eq!(always.piece(Piece::Head, ""), "");
        assert_eq!(never.piece(Piece::Gone, "-a"), "-a");
    }
}
