import { flag, list, number, runForTexts, statement, text } from '../../db/statement.ts'
import { formatDate } from '../../fields/date.ts'
import { derivedId, randomId } from '../../tools/random.ts'
import { expiresBeforeDue } from '../send/body.ts'
import { lockUserSends } from '../send/lock-user.ts'
import { gatewayRefusal, invalid } from '../send/shape.ts'
import { logChanged } from '../status/status.ts'
import { advance, whenSettled } from './advance.ts'
import type { CampaignChange, NewCampaign } from './body.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignState,
  changeAsRead,
  findCampaign,
  isStored,
  readState,
  updateCampaigns,
} from './campaign.ts'
import { checkQuota, namedLine, planAudience, readText } from './plan.ts'
import { checkRoom, expiryAt } from './repeat.ts'
import { completeRepeat, timesFrom } from './times.ts'

/** A campaign that begins sooner cannot be changed: the sweep may already hand out its texts. */
const MARGIN_MS = 2_000

/** Changes a campaign before its first message is sent. Throws 409 `campaign_begun`. */
export async function changeCampaign(
  services: CampaignServices,
  user: string,
  id: string,
  change: CampaignChange,
): Promise<CampaignState> {
  const { db } = services.store
  if (Object.entries(change).every(([part, value]) => part === 'name' || value === null)) {
    await findCampaign(db, user, id)
    await updateCampaigns(db, 'name = $2', 'id = $1', [id, change.name])
  } else {
    await whenSettled(services, user, id, (campaign) => revise(services, campaign, change))
    await advance(services, id)
  }
  return readState(db, user, id)
}

const REVISE = `
name = coalesce($3, name), body = $4, variables = $5::json, template = coalesce($6, template), groups = $7,
recipients = $8::json, scheduled_at = $9, expires_at = $10, former_batch = $11, batch_id = $12,
batches = $13::json, recipients_count = $14, segments = $15, audience = $16::json, repeat = $17::json, revision = revision + 1,
settled = false`

/** Stores the change. False when the campaign was changed meanwhile. */
async function revise(services: CampaignServices, campaign: Campaign, change: CampaignChange) {
  const { store } = services
  const { user } = campaign
  await checkNotBegun(services, campaign)
  if (change.repeat && !campaign.repeat) throw invalid('repeat can be changed only if the campaign repeats')
  const repeat = change.repeat ? await completeRepeat(store, user, change.repeat) : campaign.repeat
  const begins = change.scheduledAt ?? (change.repeat ? formatDate(new Date()) : campaign.scheduledAt)
  const [scheduledAt] = repeat ? await timesFrom(user, repeat, begins) : [begins]
  const expiresAt = change.expiresAt ?? (repeat ? expiryAt(campaign, scheduledAt) : campaign.expiresAt)
  if (expiresAt && expiresAt <= scheduledAt) throw expiresBeforeDue()
  const text = change.text ? await readText(store, user, change.text) : { ...campaign, template: null }
  const people: NewCampaign['audience'] = change.audience ?? {
    recipients: campaign.recipients,
    groupIds: campaign.groups,
  }
  const { audience, segments } = await planAudience(store, user, text, people)
  // messages stored so far are canceled and refunded
  if (!repeat)
    await checkQuota(services, user, audience.length - (isStored(campaign) ? campaign.recipientsCount : 0))
  const batch = randomId()
  const params = [
    ...[change.name, text.body, JSON.stringify(text.variables), text.template],
    ...[people.groupIds, JSON.stringify(people.recipients), scheduledAt, expiresAt],
    ...[campaign.batches[0], batch, JSON.stringify([batch])],
    ...[audience.length, segments, JSON.stringify(repeat ? [] : audience), JSON.stringify(repeat)],
  ]
  return changeAsRead(store.db, campaign, REVISE, ...params)
}

/** SQL: a device has or had a message of the campaign, other than those that the gateway itself ended. */
const HAS_BEGUN = `
select 1 from sms_messages where batch_id = $1 and (status in ('assigned', 'sending', 'sent', 'delivered')
  or status = 'failed' and sent_at <> '') limit 1`

async function checkNotBegun({ store }: CampaignServices, campaign: Campaign): Promise<void> {
  const { status, scheduledAt, batches } = campaign
  const isEarly = scheduledAt > formatDate(new Date(Date.now() + MARGIN_MS))
  const isOpen = status === 'repeating' || status === 'paused'
  if (!isOpen && !(status === 'scheduled' && isEarly)) throw gatewayRefusal('campaign_begun')
  const { rows } = await store.db.query(HAS_BEGUN, [batches[0]])
  if (rows[0]) throw gatewayRefusal('campaign_begun')
}

const INSERT = statement('campaign insert', { id: 'string' })`
insert into campaigns (id, "user", name, body, template, variables, groups, recipients, scheduled_at,
  expires_at, status, batch_id, batches, revision, recipients_count, segments, audience, device,
  line, sim, priority, guarantee, quiet_hours, repeat, settled, created, updated)
values (${text('id')}, ${text('user')}, ${text('name')}, ${text('body')}, ${text('template')}, ${text('variables')}::json,
  ${list('groupIds')}, ${text('recipients')}::json, ${text('scheduledAt')}, ${text('expiresAt')}, ${text('status')},
  ${text('batch')}, ${text('batches')}::json, 1, ${number('count')}, ${number('segments')}, ${text('audience')}::json,
  ${text('device')}, ${text('line')}, ${number('sim')}, ${number('priority')}, ${text('guarantee')}, ${flag('keepsQuiet')},
  ${text('repeat')}::json, false, pb_text(now()), pb_text(now()))
on conflict (id) do nothing returning id`

/** Stores a campaign; advance.ts stores its messages. A known Idempotency-Key returns its campaign. */
export async function createCampaign(
  services: CampaignServices,
  user: string,
  wanted: NewCampaign,
  key: string | null,
): Promise<CampaignState> {
  const { db } = services.store
  const id = key === null ? randomId() : derivedId(`campaign:${user} ${key}`)
  const { rows } = await db.query('select 1 from campaigns where id = $1', [id], 'campaign exists')
  if (!rows[0]) await insert(services, user, id, wanted)
  return readState(db, user, id)
}

async function insert(services: CampaignServices, user: string, id: string, wanted: NewCampaign) {
  const { store } = services
  const line = await namedLine(store, user, wanted)
  const written = await readText(store, user, wanted.text)
  const { audience, segments } = await planAudience(store, user, written, wanted.audience)
  const repeat = wanted.repeat && (await completeRepeat(store, user, wanted.repeat))
  if (!repeat) await checkQuota(services, user, audience.length)
  const batch = randomId()
  const { name, expiresAt, options } = wanted
  const [scheduledAt] = repeat ? await timesFrom(user, repeat, wanted.scheduledAt) : [wanted.scheduledAt]
  if (expiresAt && expiresAt <= scheduledAt) throw expiresBeforeDue()
  const { groupIds, recipients } = wanted.audience
  const values = {
    ...{ ...options, id, user, name, line, batch, groupIds, scheduledAt, expiresAt, segments },
    ...{ body: written.body, template: written.template, variables: JSON.stringify(written.variables) },
    ...{ recipients: JSON.stringify(recipients), batches: JSON.stringify([batch]) },
    ...{ count: audience.length, audience: JSON.stringify(repeat ? [] : audience) },
    ...{ status: repeat ? 'repeating' : 'scheduled', repeat: JSON.stringify(repeat) },
  }
  await store.db.transaction(async (db) => {
    if (repeat) {
      await lockUserSends(db, user)
      await checkRoom(db, user)
    }
    await logChanged({ db }, 'campaigns', 'create', await runForTexts(db, INSERT, values))
  })
}
