import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import { invalid } from './invalid.ts'
import type { SendRow } from './message-state.ts'

/** Of a batch that was sent by another API: it is answered whole. */
const MAX_RECIPIENTS = 1_000

/** Looks for a send of this API first, then for a batch and a message that another API has sent. */
const FIND = `
select id, ref, is_batch, created, size from (
  select 1 as place, s.id, s.ref, s.is_batch, s.created, 0 as size
  from sms_origins s where s."user" = $1 and s.api = 'smsgate' and s.id = $2
  union all
  (select 2, b.batch_id, b.batch_id, true, b.created, (
    select count(*) from (select from sms_messages n where n.batch_id = $2 limit ${MAX_RECIPIENTS + 1}) counted)
  from sms_messages b
  where b.batch_id = $2 and b.batch_id <> '' and ${isOwnedBy('b', '$1')} limit 1)
  union all
  select 3, m.id, m.id, false, m.created, 0
  from sms_messages m where m.id = $2 and ${isOwnedBy('m', '$1')} and m.message_type || '' = 'outgoing'
) found order by place limit 1`

/** A user's send by its id. Throws 404, and 400 for a batch that is too large to answer. */
export async function findSend({ db }: Store, user: string, id: string): Promise<SendRow> {
  const { rows } = await db.query(FIND, [user, id], 'smsgate find send')
  if (!rows[0]) throw gatewayRefusal('message_not_found')
  const [name, ref, isBatch, created, size] = rows[0] as [string, string, boolean, string, number]
  if (size > MAX_RECIPIENTS)
    throw invalid(`This batch has more than ${MAX_RECIPIENTS} recipients: ask for /api/sms/batches/${ref}`)
  return { id: name, ref, isBatch, created }
}

const BY_REF = `select id, is_batch, created from sms_origins where "user" = $1 and api = 'smsgate' and ref = $2`

/** The send of this API that a message or batch of a user belongs to. Throws 404. */
export async function sendOfRef({ db }: Store, user: string, ref: string): Promise<SendRow> {
  const { rows } = await db.query(BY_REF, [user, ref], 'smsgate send of ref')
  if (!rows[0]) throw gatewayRefusal('message_not_found')
  const [id, isBatch, created] = rows[0] as [string, boolean, string]
  return { id, ref, isBatch, created }
}
