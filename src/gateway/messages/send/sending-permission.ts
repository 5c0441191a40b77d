import { sql } from 'kysely'
import { StaleAuth } from '../../../engine/records/check-auth-version.ts'
import { GatewayError } from '../../../platform/api-errors.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { gatewayRefusal, REFUSALS, type RefusalCode } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import { type Act, findOwnTextsKey, type Permit } from '../../base/permissions.ts'

// The judge itself is `requirePermit` in permissions.ts. This file has its SQL for numbers, lines and stored
// texts, and the errors of its refusals.

/** The bounds of a sender, for `writeRefusalSql` and `sms_may`. */
export const bindSenderLimits = ({
  sender: { user, version, key, sentBy },
}: Pick<Permit, 'sender'>) =>
  sql<object>`sms_limits_of(${user}, ${version}, ${key?.id ?? null}, ${key?.version ?? null}, ${sentBy})`

/**
 * SQL: the sender's credentials have changed since they were checked, for `requireFresh`. The answer of a
 * repeated request compares them, too. Automatic senders have no credentials.
 */
export const writeIsStale = (sender: Sender) =>
  sql<boolean>`(select l.stale and ${sender.version}::text is not null from ${bindSenderLimits({ sender })} l)`

/** Throws StaleAuth if a row has `writeIsStale` as its `isStale`. */
export function requireFresh(row: { readonly isStale: boolean } | undefined): void {
  if (row?.isStale) throw new StaleAuth()
}

/** SQL: the sender may see text `m` of the account, and so change, cancel and send it again. */
export function writeIsSeen(sender: Sender) {
  const key = findOwnTextsKey(sender)
  return key === undefined
    ? sql<boolean>`true`
    : sql<boolean>`${writeUnindexed('m.sent_by')} = ${key}`
}

export const IS_OF_CAMPAIGN = sql<boolean>`exists (
  select from campaigns c where c.id = m.sent_by and c."user" = m."user")`

/**
 * Why the judge refuses an act on a stored text: null, a RefusalCode, or `campaign ID` for a text that
 * belongs to a campaign. For a query on `sms_messages as m`, `sms_dispatch as d` and `bindSenderLimits` as
 * `l`. The SQL function sms_planned_change does the same.
 */
export const writeRefusalSql = (act: Act, { sender: { version, sentBy } }: Permit) => sql<
  string | null
>`case
  when l.stale and ${version}::text is not null then 'stale'
  when m.sent_by <> ${sentBy} and ${IS_OF_CAMPAIGN} then 'campaign ' || m.sent_by
  when l.destinations || l.key_destinations <> '' or l.key_lines is not null then sms_may(${act},
    l.destinations, l.key_destinations, l.key_lines, array[m."to"], case when d.pinned then d.device end,
    case when d.line_pinned then d.line end, m.sim::int, d.lines)
end`

const CAMPAIGN_PREFIX = 'campaign '

/**
 * The error for a refusal that `sms_accept` or `writeRefusalSql` found. StaleAuth if the credentials changed.
 */
export function toGatewayError({ version }: Sender, refusal: string): Error {
  if (refusal.startsWith(CAMPAIGN_PREFIX))
    return makeCampaignError(refusal.slice(CAMPAIGN_PREFIX.length))
  if (refusal !== 'stale') return gatewayRefusal(refusal as RefusalCode)
  return version === null
    ? gatewayRefusal('forbidden', 'The account or the API key is disabled')
    : new StaleAuth()
}

/** 409 for an act on a text that belongs to a campaign, which alone may change it. Names the campaign. */
export function makeCampaignError(campaign: string): GatewayError {
  const [status, message] = REFUSALS.owned_by_campaign
  return new GatewayError(status, { error: 'owned_by_campaign', message, campaign })
}

/**
 * Throws 409 `owned_by_campaign` for the batch of a campaign that the sender may see, unless the campaign
 * itself asks; StaleAuth if the credentials changed.
 */
export async function requireOwnBatch(db: Db, { sender }: Permit, batch: string): Promise<void> {
  const campaign = queries(db)
    .selectFrom('campaigns')
    .select('id')
    .where('user', '=', sender.user)
    .where('id', '<>', sender.sentBy)
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('sms_messages as m')
        .select('m.sent_by')
        .where('m.batch_id', '=', batch)
        .where('m.batch_id', '<>', sql.lit(''))
        .where(writeIsSeen(sender))
        .limit(sql.lit(1)),
    )
  const found = await queries(db)
    .selectNoFrom([campaign.as('campaign'), writeIsStale(sender).as('isStale')])
    .executeTakeFirst()
  requireFresh(found)
  if (found?.campaign) throw makeCampaignError(found.campaign)
}

/** By what texts shall leave; '' and 0 for any. */
export interface ChosenLine {
  readonly device?: string
  readonly line?: string
  readonly sim?: number
}

/** Throws the refusal of new texts to these numbers. A send need not call this: `sms_accept` judges it. */
export async function requireReach(
  db: Db,
  permit: Permit,
  phones: readonly string[],
  { device = '', line = '', sim = 0 }: ChosenLine = {},
): Promise<void> {
  const { sender, act } = permit
  const judged = sql<string | null>`case when l.stale then 'stale' else sms_may(
    ${act}, l.destinations, l.key_destinations, l.key_lines, ${phones}::text[], ${device || null}, ${line || null},
    ${sim}::int, l.key_lines) end`
  const { refusal } = await queries(db)
    .selectFrom(bindSenderLimits(permit).as('l'))
    .select(judged.as('refusal'))
    .executeTakeFirstOrThrow()
  if (refusal !== null) throw toGatewayError(sender, refusal)
}
