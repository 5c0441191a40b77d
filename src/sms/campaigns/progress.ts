import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/statement.ts'
import { dateOf } from '../../fields/date.ts'
import { INSTANT } from '../../fields/instant.ts'
import { BATCH, countsOf } from '../queue/cancel.ts'
import { UNKNOWN } from '../queue/retry.ts'
import { CANCELED_SQL, REASONS } from '../status.ts'
import { CAMPAIGN_STATE, findCampaign } from './campaign.ts'

const MAX_REPLIES = 20

const COUNT = z.int().min(0)

export const CAMPAIGN_PROGRESS = z
  .object({
    id: z.string(),
    status: CAMPAIGN_STATE.shape.status,
    begins_in_seconds: z.number().min(0).describe('By the clock of the server; 0: it has begun.'),
    recipients_count: COUNT,
    counts: BATCH.shape.counts.describe(
      'Messages by status. One that failed and was sent again counts as the new message does.',
    ),
    canceled: COUNT.describe('Failed messages that were canceled.'),
    retriable: z
      .object({
        plain: COUNT.describe('Messages that failed for another reason.'),
        unknown: COUNT.describe('The device went silent: they may have been sent.'),
        canceled: COUNT.describe('Canceled messages.'),
      })
      .describe(
        'Failed messages that can be sent again. Excludes messages that were sent again before, and recipients who opted out.',
      ),
    segments_used: COUNT.describe('Short messages that were sent.'),
    opt_outs: COUNT.describe('Recipients who have opted out since.'),
    replies: COUNT.describe('Recipients who have sent a text since it began.'),
    latest_replies: z
      .array(z.object({ id: z.string(), from: z.string(), body: z.string(), created: INSTANT }))
      .describe(`The latest ${MAX_REPLIES} texts of theirs, newest first.`),
  })
  .meta({ id: 'CampaignProgress' })

const CAN_BE_RETRIED = `(m.status = 'failed' and m.body <> '' and m.error_message <> '${REASONS.optedOut}'
  and not exists (select from contacts c where c."user" = $1 and c.phone = m."to" and c.opted_out))`

/** Counts messages by status, without failed ones that were sent again. $1: the user; $2: ids of batches. */
const COUNTS = `
with sent as (
  select m."to", m.status, m.segments, m.error_message, ${CAN_BE_RETRIED} as retriable from sms_messages m
  where m.batch_id = any($2::text[]) and m.batch_id <> '' and ${isOwnedBy('m', '$1')}
    and (m.status <> 'failed' or not exists (
      select from sms_messages r where r."user" = $1 and r.client_ref = 'retry:' || m.id and r.client_ref <> ''
    ))
)
select status, count(*), count(*) filter (where error_message in ${CANCELED_SQL}),
  coalesce(sum(segments) filter (where status in ('sent', 'delivered')), 0),
  count(*) filter (where retriable),
  count(*) filter (where retriable and starts_with(error_message, '${UNKNOWN}')),
  count(*) filter (where retriable and error_message in ${CANCELED_SQL})
from sent group by status`

const RECIPIENTS = `(
  select m."to" from sms_messages m where m.batch_id = any($2::text[]) and m.batch_id <> '' and ${isOwnedBy('m', '$1')})`

const OPT_OUTS = `
select count(*) from contacts c where c."user" = $1 and c.opted_out and c.phone in ${RECIPIENTS}`

const REPLIES = `
with replies as (
  select i.id, i."from", i.body, i.created from sms_messages i
  where i."user" = $1 and i.created >= $3 and i.message_type = 'incoming' and i."from" in ${RECIPIENTS}
)
select id, "from", body, created, (select count(distinct "from") from replies) from replies
order by created desc, id desc limit ${MAX_REPLIES}`

/** The progress of a user's campaign. Throws 404 `campaign_not_found`. */
export async function readProgress({ db }: Store, user: string, id: string) {
  const { status, batches, scheduledAt, recipientsCount } = await findCampaign(db, user, id)
  const params = [user, batches]
  const found = (await db.shaped(COUNTS, params)).rows as [string, ...number[]][]
  const optOuts = await db.shaped(OPT_OUTS, params)
  const replies = (await db.shaped(REPLIES, [...params, scheduledAt])).rows
  const sum = (column: number) => found.reduce((all, row) => all + Number(row[column]), 0)
  const [all, unknown, canceled] = [sum(4), sum(5), sum(6)]
  return {
    id,
    status,
    begins_in_seconds: Math.max(0, dateOf(scheduledAt)!.getTime() - Date.now()) / 1000,
    recipients_count: recipientsCount,
    counts: countsOf(found),
    canceled: sum(2),
    retriable: { plain: all - unknown - canceled, unknown, canceled },
    segments_used: sum(3),
    opt_outs: Number(optOuts.rows[0]![0]),
    replies: Number(replies[0]?.[4] ?? 0),
    latest_replies: replies.map(([reply, from, body, created]) => ({
      ...{ id: String(reply), from: String(from), body: String(body), created: String(created) },
    })),
  }
}
