import { sql } from 'kysely'
import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries, writeUnindexed } from '../../platform/db/queries.ts'
import { NEVER_AGAIN, REASONS } from '../base/message-status.ts'
import type { Campaign } from './campaign.ts'

const MAX_TEXTS = 20
const COUNT = z.int().min(0)

const MAX_NAMED = 1_000

export const WITHOUT_CONSENT = z
  .object({
    count: z.int().min(0),
    recipients: z
      .array(z.string())
      .max(MAX_NAMED)
      .describe(`The first ${MAX_NAMED} of their numbers.`),
  })
  .describe('Recipients who are left out, as they have not given the required consent.')

/** Counts the numbers that a campaign leaves out, and names the first of them. */
export const summarizeNoConsent = (
  numbers: readonly string[],
): z.output<typeof WITHOUT_CONSENT> => ({
  count: numbers.length,
  recipients: numbers.slice(0, MAX_NAMED),
})

export const CAMPAIGN_PROOF = z
  .object({
    given: COUNT.describe(
      'Recipients of its messages who had given consent when their message was sent.',
    ),
    since: INSTANT_OR_EMPTY.describe('The earliest of their consents.'),
    texts: z
      .array(
        z.object({
          version: z.string(),
          shown: z
            .string()
            .describe('The text to which they agreed; empty for a word that they texted.'),
          people: COUNT,
          since: INSTANT_OR_EMPTY,
        }),
      )
      .describe(`The ${MAX_TEXTS} texts to which most of them agreed.`),
    without_consent: WITHOUT_CONSENT,
    withdrawn: COUNT.describe(
      'Messages that failed because consent was missing when they were accepted.',
    ),
  })
  .meta({ id: 'CampaignProof' })

/** An entry that proves consent: a text of the person, or the text that the person agreed to. */
const IS_PROOF = sql<boolean>`e.event <> 'opt_out' and (e.source in ('keyword', 'reply') or e.shown <> '')`
/** A question that the server asked or a page showed, which the person may not have confirmed. */
const IS_QUESTION = sql<boolean>`e.event = 'opt_in' and (e.source = 'page' and e.entered_by = '' or exists (
  select from contact_groups g where g.id = e."group" and g.join_confirm))`
const STATED_AT = sql<string>`coalesce(nullif(e.given_at, ''), e.created)`

/**
 * By how many recipients, since when and by which texts consent to a campaign was given when its messages
 * were sent. Each recipient had proof then, or the message would have failed: the last entry before it is
 * the proof, whatever the person has said since.
 */
export async function loadConsentProof(db: Db, user: string, campaign: Campaign) {
  const { batches, groups, withoutConsent } = campaign
  const texts = await executeStatement(
    db,
    sql<{ version: string; shown: string; people: number; since: string }>`with sent as (
      select m."to", min(greatest(m.created, m.sent_at)) as at from sms_messages m
      where m.batch_id = ${matchAny(batches)} and m.batch_id <> '' and ${writeUnindexed('m.user')} = ${user}
        and m.error_message <> all(${NEVER_AGAIN}::text[])
      group by m."to"
    )
    select e.version, e.shown, count(*) as people, min(e.since) as since
    from sent cross join lateral (
      select e.version, e.shown, ${STATED_AT} as since from consents e
      where e."user" = ${user} and e.number = sent."to" and e.created <= sent.at and ${IS_PROOF}
        and (e."group" = ${matchAny(groups)} or e."group" = '' and e.purpose = 'all')
      order by ${IS_QUESTION}, e.created desc limit 1
    ) e
    group by e.version, e.shown order by people desc, since`,
    'shaped',
  )
  const withdrawn = await queries(db, 'shaped')
    .selectFrom('sms_messages as m')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('m.batch_id', '=', matchAny(batches))
    .where('m.batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('m.user'), '=', user)
    .where('m.error_message', '=', sql.lit(REASONS.noConsent))
    .executeTakeFirstOrThrow()
  return {
    given: texts.reduce((sum, { people }) => sum + people, 0),
    since: texts.map(({ since }) => since).toSorted()[0] ?? '',
    texts: texts.slice(0, MAX_TEXTS),
    without_consent: summarizeNoConsent(withoutConsent),
    withdrawn: withdrawn.messages,
  }
}
