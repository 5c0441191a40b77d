import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { CatalogStore } from '../../collections/catalog-store.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { isOwnedBy, oneOf, runForRow, statement, text, unindexed } from '../../db/statement.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import type { Extensions } from '../../records/extension.ts'
import { isDisabledSql } from '../../records/record-sql.ts'
import { noteAct } from '../queue/note-change.ts'
import { lockUserSends } from '../send/accept.ts'
import type { SendOptions } from '../send/body.ts'
import { may, type Permit } from '../send/judge.ts'
import { LAST_LEAVES_AT } from '../send/preview.ts'
import { type SendServices, serverKey } from '../send/send.ts'
import { accountSender } from '../send/sender.ts'
import { gatewayRefusal } from '../send/shape.ts'
import { eventsCte, updateRecords } from '../status.ts'
import type { Repeat } from './body.ts'

const STATUSES = ['scheduled', 'repeating', 'sending', 'paused', 'canceled', 'done', 'failed'] as const
export type CampaignStatus = (typeof STATUSES)[number]

export interface CampaignServices extends SendServices {
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxRecipients' | 'monthlyQuota'>
}

/** The services that sending needs, except a store: `sendingFor` adds the account's store. */
export type Sending = Omit<CampaignServices, 'store'> & { readonly config: Config }

/** Returns a function that gives a user's services to send. Their store applies the user's limits. */
export const sendingFor =
  (store: CatalogStore, sending: Sending) =>
  (user: string): CampaignServices & Sending => ({ ...sending, store: store.forUser(user) })

/** What a campaign's texts are made from. `variables` null: `body` is sent as it is, without placeholders. */
export interface CampaignText {
  readonly body: string
  readonly variables: Readonly<Record<string, string>> | null
}

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
    segments: z.int().min(0).describe('Segments of all texts together.'),
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

/** The state of a user's campaign. Throws 404 `campaign_not_found`, also for another user's campaign. */
export async function readState(db: Db, user: string, id: string): Promise<CampaignState> {
  const state = await runForRow(db, STATE, { id, user })
  if (!state) throw gatewayRefusal('campaign_not_found')
  return state
}

const READ = statement('campaign', {
  ...{ id: 'string', user: 'string', name: 'string', template: 'string' },
  /** `xmin` of the record, which changes with each update. */
  version: 'string',
  isDisabled: 'boolean',
  status: oneOf<CampaignStatus>(),
  body: 'string',
  variables: 'string?',
  /** JSON list of the recipients' phone numbers; empty once all their messages are stored. */
  audience: 'string?',
  /** JSON list of batch ids: first that of the campaign's messages, then those of messages sent again. */
  batches: 'string?',
  /** Batch id of the previous revision while that may have unsent messages; otherwise ''. */
  formerBatch: 'string',
  revision: 'number',
  /** `scheduledAt` and `expiresAt`: PocketBase dates, '' for none. */
  scheduledAt: 'string',
  expiresAt: 'string',
  /** Whether the campaign's messages match its status. */
  settled: 'boolean',
  groups: 'string[]',
  recipients: 'string?',
  recipientsCount: 'number',
  /** `device` and `line`: ids, '' for any. */
  device: 'string',
  line: 'string',
  sim: 'number',
  priority: 'number',
  guarantee: oneOf<SendOptions['guarantee']>(),
  keepsQuiet: 'boolean',
  /** JSON of a `Repeat`; 'null' if the campaign does not repeat. */
  repeat: 'string?',
  runs: 'number',
  /** The present time by the database's clock, in ms since 1970. */
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

/** Parses a JSON list. Null becomes an empty list: a superuser may have cleared the field. */
const listOf = (json: string | null): readonly string[] => JSON.parse(String(json)) ?? []

/** Reads a user's campaign. Throws 404 `campaign_not_found`, also for another user's campaign. */
export async function findCampaign(db: Db, user: string, id: string): Promise<Campaign> {
  const campaign = await readCampaign(db, id)
  if (campaign?.user !== user) throw gatewayRefusal('campaign_not_found')
  return campaign
}

/** The permission of a campaign to store, hold, release and cancel its own texts. */
export const permitOf = ({ user, id }: Pick<Campaign, 'user' | 'id'>): Permit =>
  may(accountSender(user, id), 'campaign')

/** Whether all messages of the present revision are stored. */
export const isStored = ({ audience }: Campaign): boolean => audience.length === 0

/** Updates a campaign; false if it has changed since it was read. `set`: SQL with parameters from $3 on. */
export const changeAsRead = async (
  db: Db,
  { id, version }: Campaign,
  set: string,
  ...params: readonly unknown[]
): Promise<boolean> =>
  (await updateRecords(db, 'campaigns', set, 'id = $1 and xmin::text = $2', [id, version, ...params]))
    .length > 0

/** Maximum messages stored per transaction. The user's other sends are accepted between transactions. */
const CHUNK = 500

/** Splits a campaign's recipients into chunks. The messages of a chunk are stored together. */
export function chunksOf(
  { audience }: Pick<Campaign, 'audience'>,
  { maxRecipients }: Pick<Config, 'maxRecipients'>,
): (readonly string[])[] {
  const size = Math.min(CHUNK, maxRecipients)
  const count = Math.ceil(audience.length / size)
  return Array.from({ length: count }, (_, i) => audience.slice(i * size, (i + 1) * size))
}

/** The Idempotency-Key of a chunk of recipients, which prevents storing the chunk's messages twice. */
export const chunkKey = ({ id, revision }: Campaign, number: number): string =>
  serverKey(`campaign:${id}:${revision}:${number}`)

const CLOSE = `
insert into sms_idempotency ("user", key, fingerprint, answer)
select $1, key, '', '{}' from unnest($2::text[]) key on conflict do nothing`

/**
 * Ends a campaign and stores the Idempotency-Keys of all its chunks of recipients, so that no node can store
 * their messages any more. advance.ts cancels those already stored. False if the campaign has changed since
 * it was read. `permit`: of who cancels it; the server's own end is not audited.
 */
export function endCampaign(
  { store, config }: CampaignServices,
  campaign: Campaign,
  status: 'canceled' | 'failed',
  { error = '', permit }: { readonly error?: string; readonly permit?: Permit } = {},
): Promise<boolean> {
  const keys = chunksOf(campaign, config).map((_, number) => chunkKey(campaign, number))
  return store.db.transaction(async (db) => {
    await lockUserSends(db, campaign.user)
    const set = `status = $3, error = $4, settled = false, changed_by = coalesce(nullif($5, ''), changed_by)`
    const isEnded = await changeAsRead(db, campaign, set, status, error, permit?.sender.sentBy ?? '')
    if (!isEnded) return false
    await db.query(CLOSE, [campaign.user, keys])
    if (permit) await noteAct(db, permit, 'campaigns', 'cancel', campaign.id)
    return true
  })
}

/** Maximum messages that a transaction locks, so that other requests wait only briefly. */
const MAX_ROWS = 1_000

/** SQL that locks queue rows (`d`) of unclaimed messages. `which`: a condition. $1: batch ids, $2: user. */
const waiting = (which: string) => `
select d.message, d."user", m.scheduled_at from sms_messages m join sms_dispatch d on d.message = m.id
where m.batch_id = any($1::text[]) and m.batch_id <> '' and ${isOwnedBy('m', '$2')} and ${isOwnedBy('d', '$2')}
  and ${unindexed('m.status')} in ('pending', 'assigned') and ${which}
order by d.message limit ${MAX_ROWS} for update of d`

const EVENTS = eventsCte(
  `r."user", r.message, 'pending', '', 0, $3`,
  'rows r join changed c on c.id = r.message',
  '$4',
)

/** Unassigns messages that no device has claimed yet. While `due_at` is infinity, they are not reassigned. */
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

/** Restores the due time of held messages. The sweep (queue/sweep.ts) then assigns them to devices. */
const RELEASE = `
with rows as (${waiting(`${unindexed('d.state')} = 'pending' and d.due_at = 'infinity'`)}
), freed as (
  update sms_dispatch d set due_at = greatest(now(), nullif(r.scheduled_at, '')::timestamptz)
  from rows r where d.message = r.message returning d.message
), changed as (
  update sms_messages m set updated = pb_text(now()) from freed f where m.id = f.message returning m.id
), ${EVENTS}
select count(*) from rows`

/** Locks a campaign against changes. Finds no row if it has changed since it was read. */
const UNCHANGED = 'select 1 from campaigns where id = $1 and xmin::text = $2 for share'

/** Holds back the unclaimed messages of a paused campaign. False if the campaign was changed meanwhile. */
export const holdMessages = (store: Store, campaign: Campaign) =>
  inSteps(store, permitOf(campaign), campaign, HOLD, 'Paused')

/** Releases a campaign's held messages. False if the campaign was changed meanwhile. */
export const releaseMessages = (store: Store, campaign: Campaign) =>
  inSteps(store, permitOf(campaign), campaign, RELEASE, 'Resumed')

async function inSteps(store: Store, permit: Permit, campaign: Campaign, step: string, detail: string) {
  const { id, version, batches, user } = campaign
  for (;;) {
    const rows = await store.db.transaction(async (db) => {
      const unchanged = await db.query(UNCHANGED, [id, version])
      if (!unchanged.rows[0]) return undefined
      // not a named statement, so that Postgres plans it for the present number of rows
      const done = await db.query(step, [batches, user, detail, permit.sender.sentBy])
      return Number(done.rows[0]![0])
    })
    if (rows === undefined) return false
    if (rows === 0) return true
  }
}
