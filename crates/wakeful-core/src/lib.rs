//! wakeful-core
