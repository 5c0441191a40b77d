import type { JobKind } from '../../work/kind.ts'
import { advance } from './advance.ts'
import { type CampaignServices, updateCampaigns } from './campaign.ts'

/** After this time a run gives its place to another campaign. */
const RUN_MS = 10_000

const BEGINS = `id = $1 and status = 'scheduled' and settled and scheduled_at <= pb_text(now())`

const IS_OVER = `id = $1 and status = 'sending' and settled and not exists (
  select from sms_messages m where m.batch_id = any(array(select json_array_elements_text(campaigns.batches)))
    and m.batch_id <> '' and m.status || '' in ('pending', 'assigned', 'sending'))`

/** Seconds until the next run: a campaign that has been sending for an hour is looked at once a minute. */
const NEXT = `
select case when not settled then 0
  when status = 'scheduled' then least(3600, greatest(0, extract(epoch from nullif(scheduled_at, '')::timestamptz - now())))
  else least(60, greatest(1, extract(epoch from now() - nullif(scheduled_at, '')::timestamptz) / 60)) end::float8
from campaigns where id = $1 and (not settled or status in ('scheduled', 'sending'))`

/**
 * The jobs that bring campaigns forward: they store and steer messages, begin a campaign and end it. The
 * trigger campaigns_unsettled adds them; the key is the campaign.
 */
export const campaignJobs = (servicesOf: (user: string) => CampaignServices): JobKind => ({
  name: 'campaign',
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 30,
  maxAttempts: 40,
  async run({ key: id, holder }, signal) {
    const services = servicesOf(holder)
    const { db } = services.store
    await advance(services, id, AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]))
    await updateCampaigns(db, `status = 'sending'`, BEGINS, [id])
    await updateCampaigns(db, `status = 'done'`, IS_OVER, [id])
    const { rows } = await db.query(NEXT, [id], 'campaign next')
    return rows[0] && { inSeconds: Number(rows[0][0]) }
  },
})
