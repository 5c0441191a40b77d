/** Chapters of the description that have routes of several files. */
export const SENDING = 'sending'
export const ACCOUNT = 'account'
export const SERVER = 'server'
