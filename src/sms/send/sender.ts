import type { AuthRecord } from '../../request/request.ts'

/**
 * The user in whose name a request sends, and the rows that say so as they were read: `version` of the
 * user's, and of the API key's where one was used. They may be from memory: acceptance compares them.
 */
export interface Sender {
  readonly user: string
  readonly version: string
  readonly key: { readonly id: string; readonly version: string } | null
}

/** The sender who signed in, with an API key or without. */
export const senderOf = (auth: AuthRecord, key: Sender['key'] = null): Sender => ({
  user: auth.id,
  version: auth.version,
  key,
})
