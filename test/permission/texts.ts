import { formatDate } from '../../src/engine/fields/parse-date.ts'
import { makeRandomId } from '../../src/platform/tools/random.ts'
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
  /** The id of the API key that has sent them. Default: the owner. */
  readonly author?: string
  /** By whatever line has room, instead of the first line of the phone. */
  readonly isByAny?: boolean
}

/** All in one statement: five thousand cells make texts. */
const MAKE = `
with campaign as (
  insert into campaigns (id, "user", name, body, variables, recipients, audience, batch_id, batches, revision, status, settled,
    guarantee, recipients_count, segments, scheduled_at, repeat, created, updated)
  select $9, $2, 'Sale', 'Sale', 'null', '["${NUMBER}"]', '[]', $7, json_build_array($7::text), 1,
    case when $5 then 'done' else 'scheduled' end, true,
    'at_most_once', 1, 1, pb_text(now() + interval '1 hour'), 'null', pb_text(now()), pb_text(now())
  where $9 <> ''
), queued as (
  insert into sms_dispatch (message, "user", state, period, due_at, device, line, pinned, line_pinned)
  select id, $2, 'pending', '2026-11', now() + interval '1 hour', $10, $11, $10 <> '', $10 <> ''
  from unnest($1::text[]) id where not $5
)
insert into sms_messages (id, "user", "to", body, message_type, status, error_message, device, line, batch_id, segments,
  guarantee, sent_by, scheduled_at, created, updated)
select id, $2, $3, $4, 'outgoing', case when $5 then 'failed' else 'pending' end, case when $5 then 'No signal' else '' end,
  $6, '', $7, 1, 'at_most_once', $8, pb_text(now() + interval '1 hour'), pb_text(now()), pb_text(now())
from unnest($1::text[]) id`

export async function makeTexts({
  count = 1,
  isFailed = false,
  isOfCampaign = false,
  isForbidden = false,
  author = user,
  isByAny = false,
}: Wanted): Promise<Target> {
  const ids = Array.from({ length: count }, makeRandomId)
  const [batch, campaign] = [makeRandomId(), isOfCampaign ? makeRandomId() : '']
  const to = isForbidden ? FORBIDDEN : NUMBER
  const way = isByAny ? ['', ''] : [phone.id, lines[0]]
  const text = [ids, user, to, SECRETS.text, isFailed, phone.id, batch, campaign || author]
  await query(MAKE, [...text, campaign, ...way])
  return { ids, batch, campaign }
}

const STATE = `
select m.body, m.status, m.scheduled_at, m.expires_at, c.name, c.status
from sms_messages m left join campaigns c on c.id = m.sent_by where m.id = any($1) order by m.id`

/** Everything that a change of the texts would show. */
export const stateOf = async ({ ids }: Target): Promise<string> =>
  JSON.stringify(await query(STATE, [ids]))

const LEFT = `
select 1 from sms_messages where "user" = $1 and (client_ref = any($3) or created >= $4 and body like '%' || $2 || '%')
union all select 1 from campaigns where "user" = $1 and name = $2 limit 1`
const BEGAN = formatDate(new Date())

/** Whether a text or campaign with this mark was stored, or a text that sends one of the target again. */
export const hasLeft = async (
  mark: string,
  { ids }: Pick<Target, 'ids'> = { ids: [] },
): Promise<boolean> =>
  (await query(LEFT, [user, mark, ids.map((id) => `retry:${id}`), BEGAN])).length > 0

/** A text that shows whether a request has sent something: hexadecimal, so that it can also make numbers. */
export const markOf = (): string =>
  Array.from({ length: 12 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
