//! wakeful-clients
