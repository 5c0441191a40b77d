import { derivedId } from '../../tools/derived-id.ts'
import { randomId } from '../../tools/random.ts'
import { logChanged } from '../status/change-log.ts'
import type { NewCampaign } from './body.ts'
import { type CampaignServices, type CampaignState, readState } from './campaign.ts'
import { checkQuota, namedLine, planAudience, readText } from './plan.ts'

const INSERT = `
insert into campaigns (id, "user", name, body, template, variables, groups, recipients, scheduled_at,
  expires_at, status, batch_id, batches, revision, recipients_count, segments, audience, device,
  line, sim, priority, guarantee, quiet_hours, settled, created, updated)
values ($1, $2, $3, $4, $5, $6::json, $7, $8::json, $9, $10, 'scheduled', $11, $12::json, 1, $13, $14, $15::json,
  $16, $17, $18, $19, $20, $21, false, pb_text(now()), pb_text(now()))
on conflict (id) do nothing returning id`

/** Stores a campaign; advance.ts stores its messages. `key`: Idempotency-Key. Throws as a send. */
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
  const { device, sim, priority, guarantee, keepsQuiet } = wanted.options
  const line = await namedLine(store, user, wanted)
  const text = await readText(store, user, wanted.text)
  const { audience, segments } = await planAudience(store, user, text, wanted.audience)
  await checkQuota(services, user, audience.length)
  const batch = randomId()
  const { groupIds, recipients } = wanted.audience
  const params = [
    ...[id, user, wanted.name, text.body, text.template, JSON.stringify(text.variables), groupIds],
    ...[JSON.stringify(recipients), wanted.scheduledAt, wanted.expiresAt, batch, JSON.stringify([batch])],
    ...[audience.length, segments, JSON.stringify(audience), device, line, sim, priority, guarantee],
    keepsQuiet,
  ]
  await store.db.transaction(async (db) => {
    const { rows } = await db.query(INSERT, params)
    const ids = rows.map(([made]) => String(made))
    await logChanged({ db }, 'campaigns', 'create', ids)
  })
}
