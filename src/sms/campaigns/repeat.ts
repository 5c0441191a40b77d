import type { Db } from '../../db/open.ts'
import { flag, number, runForRow, runForTexts, statement, text } from '../../db/statement.ts'
import { GatewayError } from '../../errors.ts'
import { dateOf, formatDate } from '../../fields/date.ts'
import { derivedId, randomId } from '../../tools/random.ts'
import { dateAt } from '../send/body.ts'
import { invalid } from '../send/shape.ts'
import { logChanged } from '../status/status.ts'
import { type Campaign, type CampaignServices, changeAsRead, readCampaign } from './campaign.ts'
import { checkQuota, planAudience } from './plan.ts'
import { MIN_INTERVAL_MS, timesAfter } from './times.ts'

const MAX_REPEATING = 20

const OTHERS = statement('campaigns that repeat', { others: 'number' })`
select count(*)::float8 as others from campaigns
where "user" = ${text('user')} and status in ('repeating', 'paused') and repeat::text <> 'null'`

/** Throws 400 if the account has too many repeating campaigns. The caller has locked its sends. */
export async function checkRoom(db: Db, user: string): Promise<void> {
  const { others } = (await runForRow(db, OTHERS, { user }))!
  if (others >= MAX_REPEATING) throw invalid(`repeat is for at most ${MAX_REPEATING} campaigns of an account`)
}

/** The expiry of a run at `at`: as long after it as that of the campaign's present run. */
export function expiryAt(
  { scheduledAt, expiresAt }: Pick<Campaign, 'scheduledAt' | 'expiresAt'>,
  at: string,
) {
  if (expiresAt === '') return ''
  const [due, expiry, moved] = [scheduledAt, expiresAt, at].map((date) => dateOf(date)!.getTime())
  return dateAt(moved! + expiry! - due!)
}

const MOVE = `
status = case when $3 = '' then 'done' else 'repeating' end, scheduled_at = coalesce(nullif($3, ''), scheduled_at),
expires_at = $4, runs = $5, error = ''`

/** Moves a repeating campaign to its first time after `after`, or ends it. False after another change. */
export function moveOn(db: Db, campaign: Campaign, after: Date, runs = campaign.runs, set = '') {
  const [next] = timesAfter(campaign.repeat!, after, 1)
  const at = next ? formatDate(next) : ''
  return changeAsRead(db, campaign, MOVE + set, at, at && expiryAt(campaign, at), runs)
}

const RUN = statement('campaign run', { id: 'string' })`
insert into campaigns (id, "user", run_of, name, body, template, variables, groups, recipients, device, line, sim,
  priority, guarantee, quiet_hours, scheduled_at, expires_at, status, error, batch_id, batches, revision,
  recipients_count, segments, audience, settled, created, updated)
select ${text('run')}, "user", id, name, body, template, variables, groups,
  case when ${flag('isFailed')} then '[]' else recipients end, device, line, sim, priority, guarantee, quiet_hours,
  ${text('at')}, ${text('expiresAt')}, case when ${flag('isFailed')} then 'failed' else 'scheduled' end, ${text('error')},
  ${text('batch')}, ${text('batches')}::json, 1, ${number('count')}, ${number('segments')}, ${text('audience')}::json,
  ${flag('isFailed')}, pb_text(now()), pb_text(now())
from campaigns where id = ${text('id')}
on conflict (id) do nothing returning id`

const DUE = statement('campaign repeat due', { nowMs: 'number' })`
select (extract(epoch from now()) * 1000)::float8 as "nowMs" from campaigns
where id = ${text('id')} and status = 'repeating' and settled and scheduled_at <= pb_text(now())`

/**
 * Makes the due run of a repeating campaign, if any, and moves the campaign on, in one transaction. The run's
 * id is that of its time, so that no time has two runs.
 */
export async function repeatIfDue(services: CampaignServices, id: string): Promise<void> {
  const { db } = services.store
  const due = await runForRow(db, DUE, { id })
  const campaign = due && (await readCampaign(db, id))
  if (!campaign?.repeat) return
  const { missed, until } = campaign.repeat
  const now = new Date(due!.nowMs)
  const lateMs = due!.nowMs - dateOf(campaign.scheduledAt)!.getTime()
  // changed since DUE
  if (campaign.status !== 'repeating' || lateMs < 0) return
  const isLate = lateMs > MIN_INTERVAL_MS
  if (isLate && (missed === 'skip' || (until !== '' && until < formatDate(now)))) {
    // a later time may be less than 5 minutes past
    await moveOn(db, campaign, new Date(due!.nowMs - MIN_INTERVAL_MS))
    return
  }
  const at = isLate ? formatDate(now) : campaign.scheduledAt
  const batch = randomId()
  const values = {
    ...{ id, at, batch, expiresAt: expiryAt(campaign, at), batches: JSON.stringify([batch]) },
    ...{ run: derivedId(`run:${id} ${campaign.scheduledAt}`), ...(await planRun(services, campaign)) },
  }
  await db.transaction(async (tx) => {
    if (await moveOn(tx, campaign, now, campaign.runs + 1))
      await logChanged({ db: tx }, 'campaigns', 'create', await runForTexts(tx, RUN, values))
  })
}

/** The recipients of a run, as the groups are now. A refusal is the run's error. */
async function planRun(services: CampaignServices, campaign: Campaign) {
  const { user, recipients, groups } = campaign
  try {
    const people = { recipients, groupIds: groups }
    const { audience, segments } = await planAudience(services.store, user, campaign, people)
    const count = audience.length
    await checkQuota(services, user, count)
    return { count, segments, audience: JSON.stringify(audience), isFailed: false, error: '' }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { count: 0, segments: 0, audience: '[]', isFailed: true, error: error.message }
  }
}
