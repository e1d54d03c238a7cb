//! wakeful-shell
