//! The inbox without a machine: messages in, commands and screens out.

mod restored;
mod screens;
mod update;
mod world;
