/** Chapters (tags) of the API description with routes of several files. */
export const SENDING = 'sending'
export const ACCOUNT = 'account'
export const SERVER = 'server'
