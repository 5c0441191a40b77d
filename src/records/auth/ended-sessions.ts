/**
 * `_changes` has this instead of a collection when a session ended; its record is then `COLLECTION/RECORD` of
 * the account. No collection has this id.
 */
export const ENDED_SESSIONS = '_auth_sessions'
