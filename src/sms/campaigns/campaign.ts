import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { CatalogStore } from '../../collections/catalog-store.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { isOwnedBy, oneOf, runForRow, statement, text, unindexed } from '../../db/statement.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import type { Extensions } from '../../records/extension.ts'
import { isDisabledSql } from '../../records/record-sql.ts'
import { lockUserSends } from '../send/accept.ts'
import type { SendOptions } from '../send/body.ts'
import { LAST_LEAVES_AT } from '../send/preview.ts'
import type { SendServices } from '../send/send.ts'
import { gatewayRefusal } from '../send/shape.ts'
import { eventsCte, updateRecords } from '../status.ts'
import type { Repeat } from './body.ts'

const STATUSES = ['scheduled', 'repeating', 'sending', 'paused', 'canceled', 'done', 'failed'] as const
export type CampaignStatus = (typeof STATUSES)[number]

export interface CampaignServices extends SendServices {
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxRecipients' | 'monthlyQuota'>
}

/** Services to send with, except the account's store. */
export type Sending = Omit<CampaignServices, 'store'> & { readonly config: Config }

/** Services to send for a user, on the user's ticket. */
export const sendingFor =
  (store: CatalogStore, sending: Sending) =>
  (user: string): CampaignServices & Sending => ({ ...sending, store: store.forUser(user) })

/** The source of a campaign's texts. `variables` null: `body` is plain text without variables. */
export interface CampaignText {
  readonly body: string
  readonly variables: Readonly<Record<string, string>> | null
}

/** A campaign in answers of `/api/campaigns`. */
export const CAMPAIGN_STATE = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(STATUSES),
    scheduled_at: INSTANT,
    expires_at: INSTANT_OR_EMPTY,
    batch_id: z.string(),
    revision: z.int().min(1),
    recipients_count: z.int().min(0),
    segments: z.int().min(0).describe('Short messages that all texts take together.'),
    error: z.string(),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
  })
  .meta({ id: 'CampaignState' })
export type CampaignState = Readonly<z.output<typeof CAMPAIGN_STATE>>

const STATE = statement('campaign state', CAMPAIGN_STATE)`
select id, name, status, scheduled_at, expires_at, batch_id, revision, recipients_count, segments, error,
  case when status in ('scheduled', 'sending') then coalesce(pb_text(sms_last_leaves_at("user",
    greatest(now(), nullif(scheduled_at, '')::timestamptz),
    case status when 'scheduled' then recipients_count::int else 0 end, device, line)), '') else '' end as last_leaves_at
from campaigns where id = ${text('id')} and "user" = ${text('user')}`

/** The state of a user's campaign. Throws 404 `campaign_not_found`, also for another's. */
export async function readState(db: Db, user: string, id: string): Promise<CampaignState> {
  const state = await runForRow(db, STATE, { id, user })
  if (!state) throw gatewayRefusal('campaign_not_found')
  return state
}

const READ = statement('campaign', {
  ...{ id: 'string', user: 'string', name: 'string', template: 'string' },
  /** `xmin` of the record, which every change replaces. */
  version: 'string',
  isDisabled: 'boolean',
  status: oneOf<CampaignStatus>(),
  body: 'string',
  variables: 'string?',
  /** Numbers whose messages are not stored yet; empty once all are stored. */
  audience: 'string?',
  /** The batch of the campaign's messages, then the batches of its resends. */
  batches: 'string?',
  /** The previous revision's batch while that may have waiting messages; '' after that. */
  formerBatch: 'string',
  revision: 'number',
  /** PocketBase dates, '' for none. */
  scheduledAt: 'string',
  expiresAt: 'string',
  /** True once the queue matches the status. */
  settled: 'boolean',
  groups: 'string[]',
  recipients: 'string?',
  recipientsCount: 'number',
  /** Ids; '' for any device or line. */
  device: 'string',
  line: 'string',
  sim: 'number',
  priority: 'number',
  guarantee: oneOf<SendOptions['guarantee']>(),
  keepsQuiet: 'boolean',
  /** When it repeats; 'null' if it does not. */
  repeat: 'string?',
  runs: 'number',
  /** The time of the database. */
  nowMs: 'number',
})`
select c.id, c."user", c.name, c.template, c.xmin::text as version, ${isDisabledSql('c."user"')} as "isDisabled",
  c.status, c.body, c.variables::text, c.audience::text, c.batches::text, c.former_batch as "formerBatch", c.revision,
  c.scheduled_at as "scheduledAt", c.expires_at as "expiresAt", c.settled, c.groups, c.recipients::text,
  c.recipients_count as "recipientsCount", c.device, c.line, c.sim, c.priority, c.guarantee, c.quiet_hours as "keepsQuiet",
  c.repeat::text, c.runs, (extract(epoch from now()) * 1000)::float8 as "nowMs"
from campaigns c where c.id = ${text('id')}`

export async function readCampaign(db: Db, id: string) {
  const row = await runForRow(db, READ, { id })
  if (!row) return undefined
  const variables: CampaignText['variables'] = JSON.parse(String(row.variables))
  const repeat: Repeat | null = JSON.parse(String(row.repeat))
  const lists = {
    audience: listOf(row.audience),
    batches: listOf(row.batches),
    recipients: listOf(row.recipients),
  }
  return { ...row, variables, repeat, ...lists }
}

export type Campaign = Readonly<NonNullable<Awaited<ReturnType<typeof readCampaign>>>>

/** A list in a JSON field, which a superuser may have emptied. */
const listOf = (json: string | null): readonly string[] => JSON.parse(String(json)) ?? []

/** Reads a campaign of this user. Throws 404 `campaign_not_found`. */
export async function findCampaign(db: Db, user: string, id: string): Promise<Campaign> {
  const campaign = await readCampaign(db, id)
  if (campaign?.user !== user) throw gatewayRefusal('campaign_not_found')
  return campaign
}

/** Whether all messages of the current revision are stored. */
export const isStored = ({ audience }: Campaign): boolean => audience.length === 0

/** Changes one campaign. False if it was changed since it was read. `set`: SQL, parameters from $3. */
export const changeAsRead = async (
  db: Db,
  { id, version }: Campaign,
  set: string,
  ...params: readonly unknown[]
): Promise<boolean> =>
  (await updateRecords(db, 'campaigns', set, 'id = $1 and xmin::text = $2', [id, version, ...params]))
    .length > 0

/** Messages per transaction. The user's other sends are accepted between transactions. */
const CHUNK = 500

/** The parts in which the messages of a campaign are stored, in order. */
export function chunksOf(
  { audience }: Pick<Campaign, 'audience'>,
  { maxRecipients }: Pick<Config, 'maxRecipients'>,
): (readonly string[])[] {
  const size = Math.min(CHUNK, maxRecipients)
  const count = Math.ceil(audience.length / size)
  return Array.from({ length: count }, (_, i) => audience.slice(i * size, (i + 1) * size))
}

/** The Idempotency-Key of a chunk, which prevents that it is stored twice. */
export const chunkKey = ({ id, revision }: Campaign, number: number): string =>
  `campaign:${id}:${revision}:${number}`

const CLOSE = `
insert into sms_idempotency ("user", key, fingerprint, answer)
select $1, key, '', '{}' from unnest($2::text[]) key on conflict do nothing`

/** Ends a campaign, deletes its chunk keys; advance.ts cancels messages. False after a concurrent change. */
export function endCampaign(
  { store, config }: CampaignServices,
  campaign: Campaign,
  status: 'canceled' | 'failed',
  error = '',
): Promise<boolean> {
  const keys = chunksOf(campaign, config).map((_, number) => chunkKey(campaign, number))
  return store.db.transaction(async (db) => {
    await lockUserSends(db, campaign.user)
    const set = 'status = $3, error = $4, settled = false'
    const isEnded = await changeAsRead(db, campaign, set, status, error)
    if (isEnded) await db.query(CLOSE, [campaign.user, keys])
    return isEnded
  })
}

/** Maximum rows of a transaction, so that others wait briefly. */
const MAX_ROWS = 1_000

/** SQL that selects queued messages and locks them. $1: batches, $2: user, `which`: condition on `d`. */
const waiting = (which: string) => `
select d.message, d."user", m.scheduled_at from sms_messages m join sms_dispatch d on d.message = m.id
where m.batch_id = any($1::text[]) and m.batch_id <> '' and ${isOwnedBy('m', '$2')} and ${isOwnedBy('d', '$2')}
  and ${unindexed('m.status')} in ('pending', 'assigned') and ${which}
order by d.message limit ${MAX_ROWS} for update of d`

const EVENTS = eventsCte(
  `r."user", r.message, 'pending', '', 0, $3`,
  'rows r join changed c on c.id = r.message',
)

/** Takes unclaimed messages back from their devices. Due at infinity, so that the sweep leaves them alone. */
const HOLD = `
with rows as (${waiting(`${unindexed('d.state')} in ('pending', 'assigned') and d.due_at is distinct from 'infinity'`)}
), held as (
  update sms_dispatch d set due_at = 'infinity', state = 'pending', wake_at = null, wakes = 0,
    waiting_for = '', charged = '', device = case when d.pinned then d.device else '' end,
    line = case when d.line_pinned then d.line else '' end
  from rows r where d.message = r.message returning d.message, d.device
), changed as (
  update sms_messages m set status = 'pending', device = h.device, line = '', "from" = '', waiting_for = '',
    updated = pb_text(now())
  from held h where m.id = h.message returning m.id
), ${EVENTS}
select count(*) from rows`

/** Restores the due time: the sweep then hands the messages out. */
const RELEASE = `
with rows as (${waiting(`${unindexed('d.state')} = 'pending' and d.due_at = 'infinity'`)}
), freed as (
  update sms_dispatch d set due_at = greatest(now(), nullif(r.scheduled_at, '')::timestamptz)
  from rows r where d.message = r.message returning d.message
), changed as (
  update sms_messages m set updated = pb_text(now()) from freed f where m.id = f.message returning m.id
), ${EVENTS}
select count(*) from rows`

/** Locks the campaign against changes. Finds no row if it was changed since it was read. */
const UNCHANGED = 'select 1 from campaigns where id = $1 and xmin::text = $2 for share'

/** Holds all messages of a paused campaign. False when the campaign was changed meanwhile. */
export const holdMessages = (store: Store, campaign: Campaign) => inSteps(store, campaign, HOLD, 'Paused')

/** Releases held messages. False when the campaign was changed meanwhile. */
export const releaseMessages = (store: Store, campaign: Campaign) =>
  inSteps(store, campaign, RELEASE, 'Resumed')

async function inSteps(store: Store, campaign: Campaign, step: string, detail: string) {
  const { id, version, batches, user } = campaign
  for (;;) {
    const rows = await store.db.transaction(async (db) => {
      const unchanged = await db.query(UNCHANGED, [id, version])
      if (!unchanged.rows[0]) return undefined
      // unnamed, so that Postgres plans it for the present number of rows
      const done = await db.query(step, [batches, user, detail])
      return Number(done.rows[0]![0])
    })
    if (rows === undefined) return false
    if (rows === 0) return true
  }
}
