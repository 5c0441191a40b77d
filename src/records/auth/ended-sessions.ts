/**
 * What `_changes` has in the place of a collection when a session of an account was ended; in that of the
 * record it has the id of the account's collection, a slash and the account's. No collection has this id.
 */
export const ENDED_SESSIONS = '_auth_sessions'
