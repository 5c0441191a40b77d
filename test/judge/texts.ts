import { randomId } from '../../src/tools/random.ts'
import { FORBIDDEN, lines, NUMBER, phone, query, SECRETS, user } from './callers.ts'

// Texts of the owner, made anew for each cell, so that no cell sees what another one did.

/** The texts that a cell tries to change. */
export interface Target {
  readonly ids: readonly string[]
  readonly batch: string
  readonly campaign: string
}

export interface Wanted {
  readonly count?: number
  /** Failed texts instead of waiting ones. */
  readonly isFailed?: boolean
  readonly isOfCampaign?: boolean
  /** To the number to which the account may not send. */
  readonly isForbidden?: boolean
  /** By whatever line has room, instead of the first line of the phone. */
  readonly isByAny?: boolean
}

const MESSAGES = `
insert into sms_messages (id, "user", "to", body, message_type, status, error_message, device, line, batch_id, segments,
  guarantee, sent_by, scheduled_at, created, updated)
select id, $2, $3, $4, 'outgoing', case when $5 then 'failed' else 'pending' end, case when $5 then 'No signal' else '' end,
  $6, '', $7, 1, 'at_most_once', $8, pb_text(now() + interval '1 hour'), pb_text(now()), pb_text(now())
from unnest($1::text[]) id`
const QUEUE = `
insert into sms_dispatch (message, "user", state, period, due_at, device, line, pinned, line_pinned)
select id, $2, 'pending', '2026-11', now() + interval '1 hour', $3, $4, $4 <> '', $4 <> '' from unnest($1::text[]) id`
const CAMPAIGN = `
insert into campaigns (id, "user", name, body, variables, recipients, audience, batch_id, batches, revision, status, settled,
  guarantee, recipients_count, segments, scheduled_at, repeat, created, updated)
values ($1, $2, 'Sale', 'Sale', 'null', '["${NUMBER}"]', '[]', $3, json_build_array($3::text), 1, $4, true,
  'at_most_once', 1, 1, pb_text(now() + interval '1 hour'), 'null', pb_text(now()), pb_text(now()))`

export async function makeTexts({
  count = 1,
  isFailed = false,
  isOfCampaign = false,
  isForbidden = false,
  isByAny = false,
}: Wanted): Promise<Target> {
  const ids = Array.from({ length: count }, randomId)
  const [batch, campaign] = [randomId(), isOfCampaign ? randomId() : '']
  if (campaign) await query(CAMPAIGN, [campaign, user, batch, isFailed ? 'done' : 'scheduled'])
  const author = campaign || user
  const to = isForbidden ? FORBIDDEN : NUMBER
  await query(MESSAGES, [ids, user, to, SECRETS.text, isFailed, phone.id, batch, author])
  if (!isFailed) await query(QUEUE, [ids, user, isByAny ? '' : phone.id, isByAny ? '' : lines[0]])
  return { ids, batch, campaign }
}

const STATE = `
select m.body, m.status, m.scheduled_at, m.expires_at, c.name, c.status
from sms_messages m left join campaigns c on c.id = m.sent_by where m.id = any($1) order by m.id`

/** Everything that a change of the texts would show. */
export const stateOf = async ({ ids }: Target): Promise<string> => JSON.stringify(await query(STATE, [ids]))

/** Whether a text with this mark was stored, or one that sends a text of the target again. */
export const hasLeft = async (mark: string, { ids }: Target): Promise<boolean> => {
  const again = ids.map((id) => `retry:${id}`)
  const left = `select 1 from sms_messages where "user" = $1 and (body like '%' || $2 || '%' or client_ref = any($3)) limit 1`
  const begun = `select 1 from campaigns where "user" = $1 and name = $2 limit 1`
  return (await query(left, [user, mark, again])).length + (await query(begun, [user, mark])).length > 0
}
