//! F5: a disk without room, a spool with damage.
