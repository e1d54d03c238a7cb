//! The program as its callers see it: arguments, standard input, an environment and a home in; output, files and exit codes out.

mod guard;
mod hook;
mod sandbox;
mod sessions;
