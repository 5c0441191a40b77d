/** For how many seconds a person can take back an answer in the console until they choose otherwise. */
export const UNDO_SECONDS = 5
