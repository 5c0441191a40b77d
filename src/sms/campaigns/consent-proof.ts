import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { anyOf, queries } from '../../db/queries.ts'
import { INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import { REASONS } from '../status.ts'
import type { Campaign } from './campaign.ts'
import { namedWithoutConsent, WITHOUT_CONSENT } from './plan.ts'

const MAX_TEXTS = 20
const COUNT = z.int().min(0)

export const CAMPAIGN_PROOF = z
  .object({
    given: COUNT.describe('Recipients of its messages who have given consent by now.'),
    since: INSTANT_OR_EMPTY.describe('The earliest of their consents.'),
    texts: z
      .array(
        z.object({
          version: z.string(),
          shown: z.string().describe('The text to which they agreed; empty for a word that they texted.'),
          people: COUNT,
          since: INSTANT_OR_EMPTY,
        }),
      )
      .describe(`The ${MAX_TEXTS} texts to which most of them agreed.`),
    without_consent: WITHOUT_CONSENT,
    withdrawn: COUNT.describe('Messages that failed because consent was missing when they were accepted.'),
  })
  .meta({ id: 'CampaignProof' })

/** By how many recipients, since when and by which texts consent to a campaign was given. */
export async function readProof(db: Db, user: string, campaign: Campaign) {
  const { batches, groups, withoutConsent } = campaign
  const texts = await queries(db, 'shaped')
    .with('sent', (query) =>
      query
        .selectFrom('sms_messages as m')
        .select('m.to')
        .distinct()
        .where('m.batch_id', '=', anyOf(batches))
        .where('m.batch_id', '<>', sql.lit(''))
        .where(sql`m."user" || ''`, '=', user)
        .where('m.error_message', '<>', sql.lit(REASONS.noConsent)),
    )
    // one consent for each person, the earliest
    .with('proved', (query) =>
      query
        .selectFrom('sent')
        .innerJoin('consent_states as s', 's.number', 'sent.to')
        .innerJoin('consents as e', 'e.id', 's.entry')
        .distinctOn('sent.to')
        .select(['e.version', 'e.shown', 's.since'])
        .where('s.user', '=', user)
        .where('s.state', '=', sql.lit('given'))
        .where(({ or, and, eb }) =>
          or([eb('s.group', '=', anyOf(groups)), and([eb('s.group', '=', ''), eb('s.purpose', '=', 'all')])]),
        )
        .orderBy('sent.to')
        .orderBy('s.since'),
    )
    .selectFrom('proved')
    .select(({ fn }) => ['version', 'shown', fn.countAll<number>().as('people'), fn.min('since').as('since')])
    .groupBy(['version', 'shown'])
    .orderBy('people', 'desc')
    .orderBy('since')
    .execute()
  const withdrawn = await queries(db, 'shaped')
    .selectFrom('sms_messages as m')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('m.batch_id', '=', anyOf(batches))
    .where('m.batch_id', '<>', sql.lit(''))
    .where(sql`m."user" || ''`, '=', user)
    .where('m.error_message', '=', sql.lit(REASONS.noConsent))
    .executeTakeFirstOrThrow()
  return {
    given: texts.reduce((sum, { people }) => sum + people, 0),
    since: texts.map(({ since }) => since).toSorted()[0] ?? '',
    texts: texts.slice(0, MAX_TEXTS),
    without_consent: namedWithoutConsent(withoutConsent),
    withdrawn: withdrawn.messages,
  }
}
