import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { deriveId } from '../../platform/tools/random.ts'
import { countSegments } from '../../portable/segments.ts'
import type { Device } from '../base/device-record.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import { SERVER_REFS } from '../base/server-refs.ts'
import { completeSenders } from './complete-senders.ts'

/** A text that the owner of a phone sent on the phone itself. `sentAt`: ms since 1970 (device's clock). */
interface TypedText {
  readonly to: string
  readonly body: string
  readonly sentAt: number
  readonly sim: number
}

/**
 * Stores typed texts to numbers with a conversation. $1: account, $2: device, $3: its number, $4: texts as
 * JSON. `client_ref` marks them. Without a row of `sms_dispatch` nothing sends them, and without one of
 * `sms_events` no webhook hears of them. A text that was deleted stays so. One whose id or `client_ref` is in
 * use is left out: the others of its report are stored.
 */
const INSERT_TYPED_TEXTS = `
insert into sms_messages
  (id, "user", device, line, status, message_type, "from", "to", body, segments, sim, sent_by, client_ref, sent_at, created,
    updated)
select t.id, $1, $2, coalesce(l.id, ''), 'sent', 'outgoing', coalesce(nullif(l.number, ''), $3), t."to", t.body,
  t.segments, t.sim, $1, '${SERVER_REFS.typed}' || t.id, least(t.at, pb_text(now())), pb_text(now()), pb_text(now())
from json_to_recordset($4) t(id text, "to" text, body text, segments int, sim int, at text)
join conversations c on c."user" = $1 and c.number = t."to"
left join lateral (
  select l.id, l.number from lines l where l.device = $2 and l.slot in (t.sim, 0) order by l.slot desc limit 1
) l on true
where not exists (select from _texts_forgotten f where f.id = t.id)
order by t.id
on conflict do nothing
returning id`

/** Makes the last typed text of each number ($2: ids) the last of its conversation, if it is the latest. */
const ANSWER_CONVERSATIONS = `
select sms_conversation_answered($1, pb_text(now()), m."to", m.body, m.id)
from (
  select distinct on ("to" collate "C") * from sms_messages where id = any ($2::text[]) order by "to" collate "C", sent_at desc
) m
join conversations c on c."user" = $1 and c.number = m."to"
left join sms_messages l on l.id = c.last_message
where l.id is null or m.sent_at >= case l.message_type when 'incoming' then l.delivered_at else l.created end
order by m."to" collate "C"`

/**
 * Stores texts that the owner of a device typed on it. A repeated report changes nothing, and brings back no
 * deleted text.
 */
export async function storeTypedTexts(
  store: Store,
  device: Device,
  reported: readonly TypedText[],
): Promise<void> {
  const named = reported.map(({ to, ...text }) => ({
    ...text,
    from: to,
    id: deriveId(JSON.stringify([device.id, 'typed', to, text.sentAt, text.body])),
  }))
  const texts = (await completeSenders(store, device, named)).map(
    ({ id, from: to, body, sim, sentAt }) => ({
      id,
      to,
      body,
      sim,
      segments: countSegments(body).segments,
      at: formatDate(new Date(sentAt)),
    }),
  )
  await store.db.transaction(async (db) => {
    // a send locks it first, too
    await lockUserSends(db, device.user)
    const { rows } = await db.query(INSERT_TYPED_TEXTS, [
      device.user,
      device.id,
      device.phone,
      JSON.stringify(texts),
    ])
    const ids = rows.map(([id]) => String(id))
    if (ids.length > 0) await db.query(ANSWER_CONVERSATIONS, [device.user, ids])
  })
}
