/** In `_changes`: a session ended. The record is the account, see `accountHolder`. */
export const ENDED_SESSIONS = '_auth_sessions'
