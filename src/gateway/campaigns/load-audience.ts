import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import { compileFilter } from '../../engine/filter/compile-filter.ts'
import { FilterError } from '../../engine/filter/parse-filter.ts'
import { makeAuthRecord, NO_REQUEST } from '../../engine/request/request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { queries } from '../../platform/db/queries.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { CANCELED_REASONS } from '../base/message-status.ts'
import { makeCountError } from '../base/permissions.ts'
import { loadAllRecipients } from '../messages/send/load-all-recipients.ts'
import { MAX_AUDIENCE } from './list-body.ts'

/** Whom a campaign reaches: the sum of its parts. '' stands for no filter and no earlier campaign. */
export interface Audience {
  readonly recipients: readonly string[]
  readonly groupIds: readonly string[]
  readonly filter: string
  readonly ofCampaign: string
  readonly ofState: AudienceState | ''
}

export const AUDIENCE_STATES = ['sent', 'not_sent', 'failed', 'answered'] as const
export type AudienceState = (typeof AUDIENCE_STATES)[number]

export const NOBODY: Audience = {
  recipients: [],
  groupIds: [],
  filter: '',
  ofCampaign: '',
  ofState: '',
}

export const isNobody = ({ recipients, groupIds, filter, ofCampaign }: Audience): boolean =>
  recipients.length + groupIds.length === 0 && filter === '' && ofCampaign === ''

/**
 * The numbers of an audience: those given, the groups' members, then the others, each person once. Throws 400
 * above MAX_AUDIENCE and for a wrong filter, 404 for an unknown group or campaign.
 */
export async function loadAudience(
  store: Store,
  user: string,
  audience: Audience,
): Promise<readonly string[]> {
  const { recipients, groupIds, filter, ofCampaign, ofState } = audience
  const isNamed = recipients.length + groupIds.length > 0
  const named = isNamed ? await loadAllRecipients(store, user, audience, MAX_AUDIENCE) : []
  const filtered = filter === '' ? [] : await loadFiltered(store, user, filter)
  const earlier =
    ofState === '' || ofCampaign === '' ? [] : await loadEarlier(store, user, ofCampaign, ofState)
  const all = [...new Set([...named, ...filtered, ...earlier])]
  if (all.length > MAX_AUDIENCE) throw makeCountError(MAX_AUDIENCE)
  return all
}

/** The numbers of the account's contacts that match a filter, by name, without those who have opted out. */
async function loadFiltered(store: Store, user: string, filter: string): Promise<string[]> {
  const { catalog, db } = store
  const auth = makeAuthRecord(catalog.find(USERS_ID)!, { id: user }, '')
  const collection = catalog.find('contacts')!
  const request = { ...NO_REQUEST, auth }
  try {
    const { from, where, never, params } = compileFilter(catalog, {
      ...{ collection, filter, request, rule: '', sort: '', ticket: db.ticket },
    })
    if (never) return []
    const place = params.length + 1
    const { rows } = await db.shaped(
      `select c.phone from contacts c where c."user" = $${place} and not c.opted_out and c.id in (
        select b.id from ${from} where (${where}) and b."user" = $${place}
      ) order by c.name, c.id limit ${MAX_AUDIENCE + 1}`,
      [...params, user],
    )
    return rows.map(([phone]) => normalizePhone(String(phone)))
  } catch (error) {
    if (error instanceof FilterError) throw invalidRequest(`filter: ${error.message}`)
    throw error
  }
}

/** SQL of text `t`: which state it is in. A text that waits is in none. */
const STATES = {
  sent: sql<boolean>`t.status in ('sent', 'delivered')`,
  not_sent: sql<boolean>`t.status = 'failed'`,
  failed: sql<boolean>`t.status = 'failed' and t.error_message <> all(${CANCELED_REASONS}::text[])`,
  answered: sql<boolean>`exists (select from sms_messages i where i."user" = t."user" and i."from" = t."to"
    and i.message_type = 'incoming' and i.created >= t.created)`,
} as const satisfies Record<AudienceState, unknown>

/**
 * The recipients of an earlier campaign, of all its runs, in a state. Of a text that was sent again, the new
 * one counts; a person who got one of several texts is not among those who did not.
 */
async function loadEarlier({ db }: Store, user: string, campaign: string, state: AudienceState) {
  const { found, phones } = await queries(db, 'shaped')
    .with('runs', (query) =>
      query
        .selectFrom('campaigns as c')
        .select(['c.id', 'c.batches'])
        .where('c.user', '=', user)
        .where(({ or, eb }) => or([eb('c.id', '=', campaign), eb('c.run_of', '=', campaign)])),
    )
    .with('texts', (query) =>
      query
        .selectFrom('sms_messages as t')
        .select(['t.to', 't.user', 't.status', 't.error_message', 't.created'])
        .where(
          't.batch_id',
          '=',
          sql<string>`any(array(
          select json_array_elements_text(r.batches) from runs r))`,
        )
        .where('t.batch_id', '<>', sql.lit(''))
        .where(sql<boolean>`t."user" || '' = ${user} and t."to" <> ''`)
        .where(sql<boolean>`not (t.status = 'failed' and exists (select from sms_messages m
          where m."user" = ${user} and m.client_ref = 'retry:' || t.id and m.client_ref <> ''))`),
    )
    .selectNoFrom([
      sql<number>`(select count(*) from runs)`.as('found'),
      sql<string[]>`array(
        select t."to" from texts t where ${STATES[state]}
        union select r."to" from campaign_recipients r
          where ${state}::text = 'not_sent' and r.message = '' and r.reason <> '' and r.campaign in (select id from runs)
        except select t."to" from texts t
          where ${state}::text in ('not_sent', 'failed') and t.status <> 'failed')`.as('phones'),
    ])
    .executeTakeFirstOrThrow()
  if (Number(found) === 0) throw gatewayRefusal('campaign_not_found')
  return phones.filter((phone) => E164.test(phone)).sort()
}
