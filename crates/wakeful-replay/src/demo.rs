//! A few transcripts of our own that ship inside the program: what `wakeful replay --demo` plays.
