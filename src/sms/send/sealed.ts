import type { Db } from '../../db/open.ts'
import { seal, unseal } from '../../db/secrets.ts'
import type { Origin } from './body.ts'

const PURPOSE = 'text'
/** The origin that marks a message with a sealed text. Once the message ends, only the shown text is left. */
export const SEALED: Origin = { api: 'sealed', id: '', data: {} }

/** Encrypts a user's text for the queue. */
export const sealText = (db: Db, user: string, text: string) => seal(db, PURPOSE, user, text)

/** Decrypts the text that a device sends; undefined if that fails. */
export const openText = (db: Db, user: string, sealed: string) => unseal(db, PURPOSE, user, sealed)

/** SQL: the text of a message (`m`) that can be sent again; '' if it was sealed. */
export const REPEATABLE_TEXT = `case when exists (
  select from sms_origins o where o.ref = m.id and o.api = '${SEALED.api}') then '' else m.body end`
