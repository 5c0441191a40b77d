import { type RawBuilder, sql, type UpdateObject } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { CatalogStore } from '../../collections/catalog-store.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import type { Tables } from '../../db/tables.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import type { Extensions } from '../../records/extension.ts'
import { isDisabled } from '../../records/record-sql.ts'
import { noteAct } from '../queue/note-change.ts'
import { lockUserSends } from '../send/accept.ts'
import { serverKey } from '../send/idempotency.ts'
import { may, type Permit } from '../send/judge.ts'
import { LAST_LEAVES_AT } from '../send/preview.ts'
import { gatewayRefusal } from '../send/refusals.ts'
import type { SendServices } from '../send/send.ts'
import { accountSender } from '../send/sender.ts'
import { updateRecords } from '../status.ts'
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
  /** The id of the template from which `body` was read; '' without one. */
  readonly template: string
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

/** The state of a user's campaign. Throws 404 `campaign_not_found`, also for another user's campaign. */
export async function readState(db: Db, user: string, id: string): Promise<CampaignState> {
  const lastLeavesAt = sql<string>`case when status in ('scheduled', 'sending') then coalesce(
    pb_text(sms_last_leaves_at("user", greatest(now(), nullif(scheduled_at, '')::timestamptz),
      case status when 'scheduled' then recipients_count::int else 0 end, device, line)), '') else '' end`
  const state = await queries(db)
    .selectFrom('campaigns')
    .select(['id', 'name', 'status', 'scheduled_at', 'expires_at', 'batch_id', 'revision'])
    .select(['recipients_count', 'segments', 'error', lastLeavesAt.as('last_leaves_at')])
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  if (!state) throw gatewayRefusal('campaign_not_found')
  return state
}

const selectCampaigns = (db: Db) =>
  queries(db)
    .selectFrom('campaigns as c')
    .select([
      ...([
        'c.id',
        'c.user',
        'c.name',
        'c.template',
        'c.status',
        'c.body',
        'c.revision',
        'c.groups',
      ] as const),
      // Ids of a device and a line; '' for any.
      ...(['c.device', 'c.line', 'c.sim', 'c.priority', 'c.guarantee', 'c.runs'] as const),
      // Whether the campaign's messages match its status.
      'c.settled',
      // Batch id of the previous revision while that may have unsent messages; otherwise ''.
      'c.former_batch as formerBatch',
      // PocketBase dates, '' for none.
      'c.scheduled_at as scheduledAt',
      'c.expires_at as expiresAt',
      'c.recipients_count as recipientsCount',
      'c.quiet_hours as keepsQuiet',
      // Also true if the template or a group required consent when the recipients were found.
      'c.requires_consent as requiresConsent',
      // JSON. `audience`: phone numbers, none once all their messages are stored. `batches`: first the id of
      // the campaign's batch, then those of messages sent again. `repeat`: a `Repeat` or null.
      ...([
        'c.audience',
        'c.recipients',
        'c.batches',
        'c.repeat',
        'c.variables',
        'c.without_consent',
      ] as const),
      // `xmin` changes with each update.
      sql<string>`c.xmin::text`.as('version'),
      isDisabled('c.user').as('isDisabled'),
      // By the clock of the database, in ms since 1970.
      sql<number>`(extract(epoch from now()) * 1000)::float8`.as('nowMs'),
    ])

export async function readCampaign(db: Db, id: string) {
  const row = await selectCampaigns(db).where('c.id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const variables: CampaignText['variables'] = JSON.parse(String(row.variables))
  const repeat: Repeat | null = JSON.parse(String(row.repeat))
  const lists = {
    audience: listOf(row.audience),
    batches: listOf(row.batches),
    recipients: listOf(row.recipients),
    // Phone numbers that were left out, as they had not given the required consent.
    withoutConsent: listOf(row.without_consent),
  }
  return { ...row, variables, repeat, ...lists, guarantee: row.guarantee || 'at_most_once' }
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

/** Updates a campaign; false if it has changed since it was read. */
export async function changeAsRead(
  db: Db,
  { id, version }: Campaign,
  set: UpdateObject<Tables, 'campaigns'>,
): Promise<boolean> {
  const changed = await updateRecords(db, 'campaigns', (update) =>
    update.set(set).where('id', '=', id).where(sql`xmin::text`, '=', version),
  )
  return changed.length > 0
}

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
    const set = { status, error, settled: false, ...(permit && { changed_by: permit.sender.sentBy }) }
    const isEnded = await changeAsRead(db, campaign, set)
    if (!isEnded) return false
    await takeKeys(db, campaign.user, keys)
    if (permit) await noteAct(db, permit, 'campaigns', 'cancel', campaign.id)
    return true
  })
}

const takeKeys = (db: Db, user: string, keys: readonly string[]) =>
  queries(db)
    .insertInto('sms_idempotency')
    .columns(['user', 'key', 'fingerprint', 'answer'])
    .expression((from) =>
      from
        .selectFrom(sql<{ key: string }>`unnest(${keys}::text[])`.as<'taken'>(sql`taken(key)`))
        .select([sql<string>`${user}::text`.as('user'), 'taken.key', sql.lit('').as('fingerprint')])
        .select(sql<string>`'{}'::json`.as('answer')),
    )
    .onConflict((found) => found.doNothing())
    .execute()

/** Maximum messages that a transaction locks, so that other requests wait only briefly. */
const MAX_ROWS = 1_000

/** Locks a campaign against changes. False if it has changed since it was read. */
async function lockUnchanged(db: Db, { id, version }: Campaign): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('campaigns')
    .where('id', '=', id)
    .where(sql`xmin::text`, '=', version)
    .forShare()
    .execute()
  return found.length > 0
}

/** Holds back the unclaimed messages of a paused campaign. False if the campaign was changed meanwhile. */
export const holdMessages = (store: Store, campaign: Campaign) =>
  inSteps(
    store,
    campaign,
    ({ batches, user, id }) => sql`sms_hold(${batches}::text[], ${user}, 'Paused', ${id}, ${MAX_ROWS}::int)`,
  )

/** Releases a campaign's held messages. False if the campaign was changed meanwhile. */
export const releaseMessages = (store: Store, campaign: Campaign) =>
  inSteps(
    store,
    campaign,
    ({ batches, user, id }) =>
      sql`sms_release_held(${batches}::text[], ${user}, 'Resumed', ${id}, ${MAX_ROWS}::int)`,
  )

async function inSteps(store: Store, campaign: Campaign, step: (of: Campaign) => RawBuilder<number>) {
  for (;;) {
    const messages = await store.db.transaction(async (db) => {
      if (!(await lockUnchanged(db, campaign))) return undefined
      const done = await queries(db).selectNoFrom(step(campaign).as('messages')).executeTakeFirstOrThrow()
      return done.messages
    })
    if (messages === undefined) return false
    if (messages === 0) return true
  }
}
