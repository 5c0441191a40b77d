import { sql, type UpdateObject } from 'kysely'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { updateRecords } from '../base/message-status.ts'
import { type Permit, requirePermit } from '../base/permissions.ts'
import type { SendServices } from '../messages/send/accept-send.ts'
import type { ConsentScope } from '../messages/send/consent-scope.ts'
import type { EstimateConfig } from '../messages/send/cost-estimate.ts'
import { listStoredOptions, readStoredOptions } from '../messages/send/stored-options.ts'
import type { Audience } from './load-audience.ts'
import type { Reminder } from './reminder-body.ts'
import type { Repeat } from './repetition.ts'

export interface CampaignServices extends SendServices {
  readonly extensions: Extensions
  readonly config: SendServices['config'] & EstimateConfig
}

/** The source of a campaign's texts. `variables` null: `body` is sent as it is, without placeholders. */
export interface CampaignText {
  readonly body: string
  readonly variables: Readonly<Record<string, string>> | null
  /** The id of the template from which `body` was read; '' without one. */
  readonly template: string
}

/** Whether the API key that made campaign `c` is switched off, expired or deleted. */
const isKeyGone = sql<boolean>`exists (
  select from senders s left join api_keys k on k.id = s.id
  where s.id = c.made_by and s.kind = 'key'
    and (k.id is null or k.disabled or k.expires_at <> '' and k.expires_at <= pb_text(now())))`

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
      // How many rows its list has; 0 for other audiences.
      'c.rows',
      // '' for no filter and no earlier campaign.
      ...(['c.filter', 'c.of_campaign as ofCampaign', 'c.of_state as ofState'] as const),
      // Who made it: an API key binds it; '' for a campaign of an earlier version.
      'c.made_by as madeBy',
      // Ids of a device and a line; '' for any.
      ...(['c.device', 'c.line', 'c.runs'] as const),
      ...listStoredOptions('c'),
      // Names of its files; `or_link`, '' for none.
      ...(['c.attachments', 'c.subject', 'c.mms'] as const),
      // Whether the campaign's messages match its status.
      'c.settled',
      // Batch id of the previous revision while that may have unsent messages; otherwise ''. If some had
      // left, it is among `batches`, too.
      'c.former_batch as formerBatch',
      // PocketBase dates, '' for none.
      'c.scheduled_at as scheduledAt',
      'c.begins_at as beginsAt',
      'c.expires_at as expiresAt',
      'c.recipients_count as recipientsCount',
      // The time of a reminder's last look, and the time up to which a restore made its texts unknown.
      'c.looked_at as lookedAt',
      'c.unknown_until as unknownUntil',
      'c.error',
      'c.quiet_hours as keepsQuiet',
      // Also true if the template or a group required consent when the recipients were found.
      'c.requires_consent as requiresConsent',
      // JSON. `audience`: phone numbers, or ids of rows of a list; none once all their messages are stored.
      // `batches`: first the id of the campaign's batch, then those of messages sent again. `repeat`: a
      // `Repeat` or null; `reminder`: a `Reminder` or null.
      ...([
        'c.audience',
        'c.recipients',
        'c.batches',
        'c.repeat',
        'c.reminder',
        'c.variables',
        'c.without_consent',
      ] as const),
      // `xmin` changes with each update.
      sql<string>`c.xmin::text`.as('version'),
      sql<boolean>`(${isDisabled('c.user')} or ${isKeyGone})`.as('isDisabled'),
      // By the clock of the database, in ms since 1970.
      sql<number>`(extract(epoch from now()) * 1000)::float8`.as('nowMs'),
    ])

export async function loadCampaign(db: Db, id: string) {
  const row = await selectCampaigns(db).where('c.id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const variables: CampaignText['variables'] = JSON.parse(String(row.variables))
  const repeat: Repeat | null = JSON.parse(String(row.repeat))
  const reminder: Reminder | null = JSON.parse(String(row.reminder))
  const lists = {
    audience: parseJsonList(row.audience),
    batches: parseJsonList(row.batches),
    recipients: parseJsonList(row.recipients),
    // Phone numbers that were left out, as they had not given the required consent.
    withoutConsent: parseJsonList(row.without_consent),
  }
  const orLink = row.mms === 'or_link'
  return { ...row, ...readStoredOptions(row), orLink, variables, repeat, reminder, ...lists }
}

export type Campaign = Readonly<NonNullable<Awaited<ReturnType<typeof loadCampaign>>>>

/** Parses a JSON list. Null becomes an empty list: a superuser may have cleared the field. */
const parseJsonList = (json: string | null): readonly string[] => JSON.parse(String(json)) ?? []

/** Reads a user's campaign. Throws 404 `campaign_not_found`, also for another user's campaign. */
export async function findCampaign(db: Db, user: string, id: string): Promise<Campaign> {
  const campaign = await loadCampaign(db, id)
  if (campaign?.user !== user) throw gatewayRefusal('campaign_not_found')
  return campaign
}

/** By what the texts of a campaign require consent. Stored with its batches, it outlives the campaign. */
export const makeCampaignScope = ({
  template,
  groups,
  requiresConsent: isRequired,
}: Pick<Campaign, 'template' | 'groups' | 'requiresConsent'>): ConsentScope => ({
  template,
  groups,
  isRequired,
})

/** The permission of a campaign to store, hold, release and cancel its own texts. */
export const makeCampaignPermit = ({ user, id }: Pick<Campaign, 'user' | 'id'>): Permit =>
  requirePermit(makeAccountSender(user, id), 'campaign')

/** Whom a campaign reaches, by its record. */
export const readAudience = (campaign: Campaign): Audience => ({
  ...campaign,
  groupIds: campaign.groups,
})

/** The batches of the revisions before, while these may have unsent messages. */
export const listFormerBatches = ({ formerBatch, batches }: Campaign): readonly string[] =>
  formerBatch === '' ? [] : [...new Set([formerBatch, ...batches.slice(1)])]

/** Whether all messages of the present revision are stored. */
export const isAudienceStored = ({ audience }: Campaign): boolean => audience.length === 0

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
