//! wakeful-prose
