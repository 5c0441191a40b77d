import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { logChanged } from '../base/message-status.ts'
import { readStoredOptions, type StoredOptions } from '../messages/send/stored-options.ts'
import type { Campaign } from './campaign.ts'

type Given =
  | 'id'
  | 'user'
  | 'name'
  | 'body'
  | 'template'
  | 'variables'
  | 'recipients'
  | 'audience'
  | 'attachments'
  | 'subject'
  | 'orLink'
type Options =
  | 'device'
  | 'line'
  | keyof StoredOptions
  | 'keepsQuiet'
  | 'scheduledAt'
  | 'beginsAt'
  | 'expiresAt'
  | 'requiresConsent'
type CampaignRow = Pick<Campaign, Given | Options | 'repeat' | 'reminder' | 'withoutConsent'> &
  Readonly<{
    groups: readonly string[]
    runOf: string
    segments: number
    error: string
    changedBy: string
    madeBy: string
    rows: number
    filter: string
    ofCampaign: string
    ofState: Campaign['ofState']
  }>

/** Stores a campaign. False if it is stored already. With an `error`, it is stored as failed. */
export async function insertCampaign(db: Db, row: CampaignRow): Promise<boolean> {
  const { id, user, name, body, template, device, line, error, segments } = row
  const { repeat, reminder, audience } = row
  const staysOpen = repeat !== null || reminder !== null
  const batch = makeRandomId()
  const stored = await queries(db)
    .insertInto('campaigns')
    .values({
      id,
      user,
      name,
      body,
      template,
      device,
      line,
      error,
      segments,
      ...readStoredOptions(row),
      run_of: row.runOf,
      quiet_hours: row.keepsQuiet,
      requires_consent: row.requiresConsent,
      without_consent: JSON.stringify(row.withoutConsent),
      changed_by: row.changedBy,
      made_by: row.madeBy,
      filter: row.filter,
      of_campaign: row.ofCampaign,
      of_state: row.ofState,
      rows: row.rows,
      left_out: row.rows && row.rows - audience.length,
      groups: [...row.groups],
      attachments: [...row.attachments],
      subject: row.subject,
      mms: row.orLink ? 'or_link' : '',
      scheduled_at: row.scheduledAt,
      begins_at: row.beginsAt,
      expires_at: row.expiresAt,
      recipients: JSON.stringify(row.recipients),
      variables: JSON.stringify(row.variables),
      repeat: JSON.stringify(repeat),
      reminder: JSON.stringify(reminder),
      audience: JSON.stringify(staysOpen ? [] : audience),
      batch_id: batch,
      batches: JSON.stringify([batch]),
      revision: 1,
      recipients_count: audience.length,
      settled: error !== '',
      status: error ? 'failed' : staysOpen ? 'repeating' : 'scheduled',
      created: NOW,
      updated: NOW,
    })
    .onConflict((found) => found.column('id').doNothing())
    .returning('id')
    .execute()
  const ids = stored.map((campaign) => campaign.id)
  await logChanged({ db }, 'campaigns', 'create', ids)
  return ids.length > 0
}
