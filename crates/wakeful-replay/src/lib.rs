//! wakeful-replay
