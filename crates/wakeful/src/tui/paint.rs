//! Styles: the terminal's own colours only, so that light and dark both work; without colour, words and symbols carry the meaning.

use ratatui::style::{Color, Modifier, Style};

/// With or without colour.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    /// Colours are wanted.
    pub colour: bool,
}

impl Paint {
    fn coloured(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// Plain text.
    pub fn plain(self) -> Style {
        Style::new()
    }

    /// Headings and names.
    pub fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What matters less.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What needs the user.
    pub fn needs(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// What waits.
    pub fn waits(self) -> Style {
        self.coloured(Color::Cyan)
    }

    /// What works, and what went well.
    pub fn good(self) -> Style {
        self.coloured(Color::Green)
    }

    /// The pill of a turn that was kept out of the inbox (spec 70: orange; the same tone as in `wakeful show`).
    pub fn auto_waited(self) -> Style {
        self.coloured(Color::Indexed(208)).add_modifier(Modifier::BOLD)
    }

    /// The banner of a scheduled wake.
    pub fn banner(self) -> Style {
        self.coloured(Color::Magenta).add_modifier(Modifier::BOLD)
    }

    /// What is selected where the keys go.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// What is selected in the other pane.
    pub fn marked(self) -> Style {
        self.bold()
    }
}
