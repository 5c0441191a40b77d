/**
 * In `_changes`: a session ended. The record is then the account, see `accountHolder`. No collection has this
 * id.
 */
export const ENDED_SESSIONS = '_auth_sessions'
