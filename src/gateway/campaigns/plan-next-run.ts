import { sql, type UpdateObject } from 'kysely'
import { formatDate, toDate } from '../../engine/fields/parse-date.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { deriveId } from '../../platform/tools/random.ts'
import { moveExpiry } from '../messages/send/message-expiry.ts'
import {
  type Campaign,
  type CampaignServices,
  changeAsRead,
  makeCampaignPermit,
  readAudience,
} from './campaign.ts'
import { copyCampaignFiles } from './campaign-files.ts'
import { insertCampaign } from './insert-campaign.ts'
import { checkQuota, planAudience } from './plan-campaign.ts'
import { listTimesAfter, MIN_INTERVAL_MS } from './repetition.ts'

const MAX_REPEATING = 20

/** Throws 400 if the account has too many repeating campaigns, with reminders. Call after `lockUserSends`. */
export async function requireCampaignRoom(db: Db, user: string): Promise<void> {
  const { others } = await queries(db)
    .selectFrom('campaigns')
    .select(({ fn }) => fn.countAll<number>().as('others'))
    .where('user', '=', user)
    .where(sql<boolean>`status in ('repeating', 'paused')
      and (repeat::text <> 'null' or coalesce(reminder::text, 'null') <> 'null')`)
    .executeTakeFirstOrThrow()
  if (others >= MAX_REPEATING)
    throw invalidRequest(
      `repeat is for at most ${MAX_REPEATING} campaigns of an account, with its reminders`,
    )
}

/** When a run that begins at `at` expires: `at` plus `expiresAt` minus `scheduledAt`; '' for never. */
export const computeExpiryAt = (
  { scheduledAt, expiresAt }: Pick<Campaign, 'scheduledAt' | 'expiresAt'>,
  at: string,
) => moveExpiry(expiresAt, scheduledAt, toDate(at)!.getTime())

/** When the next run may begin: at `at`, but not before the start that was chosen. */
export function findEarliestRun({ beginsAt }: Pick<Campaign, 'beginsAt'>, at: Date): Date {
  const begin = toDate(beginsAt)
  return begin && begin > at ? begin : at
}

/**
 * Moves a repeating campaign to its first time after `after`; ends it if there is none. False if the campaign
 * has changed since it was read. `also`: further changes.
 */
export function moveToNextRun(
  db: Db,
  campaign: Campaign,
  after: Date,
  runs = campaign.runs,
  also: UpdateObject<Tables, 'campaigns'> = {},
): Promise<boolean> {
  const earliest = findEarliestRun(campaign, new Date(after.getTime() + 1))
  const [next] = listTimesAfter(campaign.repeat!, new Date(earliest.getTime() - 1), 1)
  const at = next ? formatDate(next) : ''
  const status = at === '' ? 'done' : 'repeating'
  const expires_at = at && computeExpiryAt(campaign, at)
  return changeAsRead(db, campaign, {
    status,
    expires_at,
    runs,
    error: '',
    ...(at && { scheduled_at: at }),
    ...also,
  })
}

/**
 * If a run of a repeating campaign is due, stores the run as a campaign of its own and moves the repeating
 * one to its next time, in one transaction. The run's id is made from its time: no time has two runs.
 */
export async function repeatIfDue(services: CampaignServices, campaign: Campaign): Promise<void> {
  const { db } = services.store
  const { id, repeat, status, scheduledAt, nowMs } = campaign
  const lateMs = nowMs - toDate(scheduledAt)!.getTime()
  if (!repeat || status !== 'repeating' || lateMs < 0) return
  const now = new Date(nowMs)
  const isLate = lateMs > MIN_INTERVAL_MS
  if (
    isLate &&
    (repeat.missed === 'skip' || (repeat.until !== '' && repeat.until < formatDate(now)))
  ) {
    // skip missed runs, but not one that is at most 5 minutes late
    await moveToNextRun(db, campaign, new Date(nowMs - MIN_INTERVAL_MS))
    return
  }
  const at = isLate ? formatDate(now) : scheduledAt
  const by = { changedBy: id, madeBy: campaign.madeBy }
  const ids = { id: deriveId(`run:${id} ${scheduledAt}`), runOf: id, repeat: null, ...by }
  const times = { scheduledAt: at, expiresAt: computeExpiryAt(campaign, at), beginsAt: '' }
  const run = { ...campaign, ...ids, ...times, ...(await planRun(services, campaign)) }
  await db.transaction(async (tx) => {
    if (!(await moveToNextRun(tx, campaign, now, campaign.runs + 1))) return
    if ((await insertCampaign(tx, run)) && run.attachments.length > 0)
      await copyCampaignFiles(tx, id, run.id)
  })
}

/** Finds a run's recipients, including the groups' present members. A refusal becomes the run's `error`. */
async function planRun(services: CampaignServices, campaign: Campaign) {
  try {
    const people = readAudience(campaign)
    const planned = await planAudience(services, makeCampaignPermit(campaign), campaign, people, {
      ...campaign,
      files: campaign.attachments.length,
    })
    await checkQuota(services, campaign.user, planned.audience.length)
    return { ...planned, error: '' }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { segments: 0, audience: [], recipients: [], attachments: [], error: error.message }
  }
}
