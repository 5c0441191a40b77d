import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries, writeUnindexed } from '../../platform/db/queries.ts'
import type { Sender } from '../base/make-sender.ts'
import { CANCELED_SQL, NEVER_AGAIN, REASONS } from '../base/message-status.ts'
import { isAllowed } from '../base/permissions.ts'
import { BATCH_STATUS, countByStatus } from '../messages/queue/count-batch.ts'
import { UNKNOWN } from '../messages/queue/retry-messages.ts'
import { writeRefusalsSql } from '../messages/send/refused-recipients.ts'
import { type Campaign, findCampaign, isAudienceStored, makeCampaignScope } from './campaign.ts'
import { CAMPAIGN_PROOF, loadConsentProof } from './consent-proof.ts'
import { CAMPAIGN_STATE } from './load-campaign-state.ts'

const MAX_REPLIES = 20

const COUNT = z.int().min(0)

export const CAMPAIGN_PROGRESS = z
  .object({
    id: z.string(),
    status: CAMPAIGN_STATE.shape.status,
    begins_in_seconds: z.number().min(0).describe('By the clock of the server; 0: it has begun.'),
    recipients_count: COUNT,
    counts: BATCH_STATUS.shape.counts.describe(
      'Messages by status; `pending` includes those that are not stored yet. One that failed and was sent again counts as the new message does.',
    ),
    canceled: COUNT.describe('Failed messages that were canceled.'),
    retriable: z
      .object({
        plain: COUNT.describe('Messages that failed for another reason.'),
        unknown: COUNT.describe('The device went silent: they may have been sent.'),
        canceled: COUNT.describe('Canceled messages.'),
      })
      .describe(
        'Failed messages that can be sent again. Excludes messages that were sent again before, and recipients who opted out or have not given consent.',
      ),
    left_out: z
      .array(z.object({ reason: z.string(), count: COUNT }))
      .describe('Of a list or a reminder: why rows have got no text, the commonest first.'),
    segments_used: COUNT.describe('Short messages that were sent.'),
    opt_outs: COUNT.describe(
      'Recipients who have opted out since, or have left a group of the campaign.',
    ),
    consent: CAMPAIGN_PROOF.nullable().describe(
      'The proof of consent, if the campaign requires it.',
    ),
    replies: COUNT.describe('Recipients who have sent a text since it began.'),
    latest_replies: z
      .array(z.object({ id: z.string(), from: z.string(), body: z.string(), created: INSTANT }))
      .describe(
        `The latest ${MAX_REPLIES} texts of theirs, newest first. An API key needs \`inbox:list\`.`,
      ),
  })
  .meta({ id: 'CampaignProgress' })

const isCanceled = sql.raw(`error_message in ${CANCELED_SQL}`)

const selectSentTexts = (db: Db, user: string, batches: readonly string[]) =>
  queries(db, 'shaped')
    .selectFrom('sms_messages as m')
    .where('m.batch_id', '=', matchAny(batches))
    .where('m.batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('m.user'), '=', user)

/** The recipients of a campaign who get no more of its texts, each with the reason. */
async function countRefused(db: Db, campaign: Campaign) {
  const { user, batches } = campaign
  const sent = selectSentTexts(db, user, batches).select(
    sql<string[]>`array_agg(distinct m."to")`.as('phones'),
  )
  const { phones, refusals } = await queries(db, 'shaped')
    .selectFrom(sent.as('sent'))
    .select([
      'phones',
      writeRefusalsSql(user, sql.ref('sent.phones'), makeCampaignScope(campaign)).as('refusals'),
    ])
    .executeTakeFirstOrThrow()
  const reasons = (refusals ?? []).map((reason, i) => ({ phone: phones[i]!, reason }))
  return reasons.filter(({ reason }) => reason !== '')
}

/** Counts messages by status, without failed ones that were sent again. Recipients in `out` get no more. */
const countSentTexts = (db: Db, { user, batches }: Campaign, out: readonly string[]) =>
  queries(db, 'shaped')
    .with('sent', () =>
      selectSentTexts(db, user, batches)
        .select(['m.status', 'm.segments', 'm.error_message'])
        .select(
          sql<boolean>`(m.status = 'failed' and m.body <> '' and m.error_message <> all(${NEVER_AGAIN}::text[])
            and m."to" <> all(${out}::text[]))`.as('retriable'),
        )
        .where(
          sql<boolean>`(m.status <> 'failed' or not exists (
            select from sms_messages r
            where r."user" = ${user} and r.client_ref = 'retry:' || m.id and r.client_ref <> ''))`,
        ),
    )
    .selectFrom('sent')
    .select(({ fn }) => [
      'status',
      fn.countAll<number>().as('messages'),
      sql<number>`count(*) filter (where ${isCanceled})`.as('canceled'),
      sql<number>`coalesce(sum(segments) filter (where status in ('sent', 'delivered')), 0)`.as(
        'segments',
      ),
      sql<number>`count(*) filter (where retriable)`.as('retriable'),
      sql<number>`count(*) filter (where retriable and starts_with(error_message, ${sql.lit(UNKNOWN)}))`.as(
        'unknown',
      ),
      sql<number>`count(*) filter (where retriable and ${isCanceled})`.as('retriableCanceled'),
    ])
    .groupBy('status')
    .execute()

/** The latest texts from the recipients since a date, and how many of them have written (`senders`). */
const countReplies = (db: Db, user: string, batches: readonly string[], since: string) =>
  queries(db, 'shaped')
    .with('replies', (query) =>
      query
        .selectFrom('sms_messages as i')
        .select(['i.id', 'i.from', 'i.body', 'i.created'])
        .where('i.user', '=', user)
        .where('i.created', '>=', since)
        .where('i.message_type', '=', sql.lit('incoming'))
        .where('i.from', 'in', selectSentTexts(db, user, batches).select('m.to')),
    )
    .selectFrom('replies')
    .select(['id', 'from', 'body', 'created'])
    .select(sql<number>`(select count(distinct "from") from replies)`.as('senders'))
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(MAX_REPLIES))
    .execute()

const countLeftOut = (db: Db, campaign: string) =>
  queries(db, 'shaped')
    .selectFrom('campaign_recipients')
    .select(({ fn }) => ['reason', fn.countAll<number>().as('count')])
    .where('campaign', '=', campaign)
    .where('reason', '<>', sql.lit(''))
    .groupBy('reason')
    .orderBy('count', 'desc')
    .orderBy('reason')
    .execute()

/** The progress of a user's campaign. Throws 404 `campaign_not_found`. */
export async function loadCampaignProgress({ db }: Store, sender: Sender, id: string) {
  const { user } = sender
  const campaign = await findCampaign(db, user, id)
  const { status, batches, scheduledAt, recipientsCount } = campaign
  const refused = await countRefused(db, campaign)
  const phones = refused.map(({ phone }) => phone)
  const found = await countSentTexts(db, campaign, phones)
  const replies = await countReplies(db, user, batches, scheduledAt)
  const sum = (column: Exclude<keyof (typeof found)[number], 'status'>) =>
    found.reduce((all, row) => all + Number(row[column]), 0)
  const [unknown, canceled] = [sum('unknown'), sum('retriableCanceled')]
  const counts = countByStatus(found)
  const isOpen = status === 'scheduled' || status === 'sending' || status === 'paused'
  // of a text that was changed while the campaign is paused, none is stored
  const unstored = isOpen && !isAudienceStored(campaign) ? recipientsCount - sum('messages') : 0
  return {
    id,
    status,
    begins_in_seconds: Math.max(0, toDate(scheduledAt)!.getTime() - Date.now()) / 1000,
    recipients_count: recipientsCount,
    counts: { ...counts, pending: counts.pending + Math.max(0, unstored) },
    canceled: sum('canceled'),
    retriable: { plain: sum('retriable') - unknown - canceled, unknown, canceled },
    left_out: await countLeftOut(db, id),
    segments_used: sum('segments'),
    opt_outs: refused.filter(({ reason }) => reason !== REASONS.noConsent).length,
    consent: campaign.requiresConsent ? await loadConsentProof(db, user, campaign) : null,
    replies: replies[0]?.senders ?? 0,
    latest_replies: isAllowed(sender, 'readInbox')
      ? replies.map(({ senders: _, ...reply }) => reply)
      : [],
  }
}
