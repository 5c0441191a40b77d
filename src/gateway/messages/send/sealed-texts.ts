import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { sealSecret, unsealSecret } from '../../../platform/db/secrets.ts'
import type { SendOrigin } from './send-options.ts'

const PURPOSE = 'text'
/** Marks a message whose text is stored encrypted. Once the message ends, only the shown text is left. */
export const SEALED: SendOrigin = { api: 'sealed', id: '', data: {} }

export const sealText = (db: Db, user: string, text: string) => sealSecret(db, PURPOSE, user, text)

/** Decrypts a text for a device to send; undefined if that fails. */
export const openText = (db: Db, user: string, sealed: string) =>
  unsealSecret(db, PURPOSE, user, sealed)

/** SQL: the text of message `m` for sending it again; '' for an encrypted text, which is not kept. */
export const REPEATABLE_TEXT = sql<string>`case when exists (
  select from sms_origins o where o.ref in (m.id, m.batch_id) and o.api = ${sql.lit(SEALED.api)}) then '' else m.body end`
