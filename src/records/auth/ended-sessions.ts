/** In `_changes`: a session ended. The record is then `COLLECTION/RECORD`. No collection has this id. */
export const ENDED_SESSIONS = '_auth_sessions'
