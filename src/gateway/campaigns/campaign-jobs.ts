import { sql } from 'kysely'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { JobKind } from '../../platform/jobs/job-queue.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Campaign, CampaignServices } from './campaign.ts'
import { repeatIfDue } from './plan-next-run.ts'
import { sendDueReminders } from './send-reminders.ts'
import { settleCampaign } from './settle-campaign.ts'

/** A campaign's job stops after this time and continues later, to let other campaigns' jobs run. */
const RUN_MS = 10_000

const beginDueCampaign = (db: Db, id: string) =>
  updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'sending' })
      .where('id', '=', id)
      .where('status', '=', 'scheduled')
      .where('settled', '=', true)
      .where('scheduled_at', '<=', NOW),
  )

// `offset 0` prevents a join: a join would read all messages, the subquery reads one index entry per batch
const IS_OVER = sql<boolean>`not exists (
  select from json_array_elements_text(batches) b where exists (
    select from sms_messages m where m.batch_id = b and m.batch_id <> ''
      and m.status in ('pending', 'assigned', 'sending') offset 0))`

const endFinishedCampaign = (db: Db, id: string) =>
  updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'done' })
      .where('id', '=', id)
      .where('status', '=', 'sending')
      .where('settled', '=', true)
      .where(IS_OVER),
  )

const NEXT_SECONDS = sql<number>`case when not settled then 0
  when status in ('scheduled', 'repeating')
    then least(3600, greatest(0, extract(epoch from nullif(scheduled_at, '')::timestamptz - now())))
  else least(60, greatest(1, extract(epoch from now() - nullif(scheduled_at, '')::timestamptz) / 60)) end::float8`

/** When a campaign's job runs again. While the campaign sends: in 1 s at first, in 60 s after an hour. */
const loadNextRun = (db: Db, id: string) =>
  queries(db)
    .selectFrom('campaigns')
    .select(NEXT_SECONDS.as('inSeconds'))
    .where('id', '=', id)
    .where(({ or, eb }) =>
      or([eb('settled', '=', false), eb('status', 'in', ['scheduled', 'repeating', 'sending'])]),
    )
    .executeTakeFirst()

const hasBegun = ({ scheduledAt, nowMs }: Campaign) => toDate(scheduledAt)!.getTime() <= nowMs

/** Jobs that begin, repeat and end campaigns and store their messages. Added by a trigger on `campaigns`. */
export const makeCampaignJobs = (servicesOf: (user: string) => CampaignServices): JobKind => ({
  name: 'campaign',
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 30,
  maxAttempts: 40,
  async run({ key: id, holder }, signal) {
    const services = servicesOf(holder)
    const { db } = services.store
    const stop = AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)])
    const settled = await settleCampaign(services, id, stop)
    if (settled?.reminder && settled.status === 'repeating' && hasBegun(settled))
      return { inSeconds: await sendDueReminders(services, settled, stop) }
    if (settled) await repeatIfDue(services, settled)
    await beginDueCampaign(db, id)
    await endFinishedCampaign(db, id)
    return loadNextRun(db, id)
  },
})
