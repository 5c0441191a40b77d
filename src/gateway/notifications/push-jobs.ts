import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { Job, JobKind } from '../../platform/jobs/job-queue.ts'
import type { Logger } from '../../platform/log.ts'
import {
  adviseOnPush,
  isSubscriptionGone,
  loadVapidKeys,
  type PushSettings,
  sendPush,
} from '../lines/web-push.ts'
import { loadPushNews, makeNotices, makePushMessage, type Notice } from './push-notices.ts'
import { loadPushTargets, type PushTarget, recordPushAnswer } from './push-targets.ts'

/** Maximum notifications to a person in an hour. All browsers of the person get each. */
const MAX_AN_HOUR = 60

/** Begins a job: returns its conversations. Renames its key, so that later messages get another job. */
async function beginPush(db: Db, { id, holder: user }: Job): Promise<string[]> {
  const begun = await queries(db)
    .with('pause', (query) =>
      query
        .insertInto('push_hours')
        .values({
          user,
          pushes: 0,
          ends: writeTimeInSeconds(3_600),
          next_at: writeTimeInSeconds(10),
        })
        .onConflict((found) =>
          found.column('user').doUpdateSet(({ ref }) => ({ next_at: ref('excluded.next_at') })),
        ),
    )
    .updateTable('_jobs')
    .set({ key: sql<string>`'run:' || id` })
    .where('id', '=', id)
    .returning('payload')
    .executeTakeFirst()
  return JSON.parse(begun?.payload ?? '[]')
}

/** Counts a notification to a person. False if the person had MAX_AN_HOUR in the current hour. */
async function countPush(db: Db, person: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows: counted = 0n } = await queries(db)
    .insertInto('push_hours')
    .values({ user: person, pushes: 1, ends: writeTimeInSeconds(3_600) })
    .onConflict((found) =>
      found
        .column('user')
        .doUpdateSet({
          pushes: sql<number>`case when push_hours.ends <= now() then 1 else push_hours.pushes + 1 end`,
          ends: sql<Date>`case when push_hours.ends <= now() then excluded.ends else push_hours.ends end`,
        })
        .where(
          sql<boolean>`push_hours.ends <= now() or push_hours.pushes < ${sql.lit(MAX_AN_HOUR)}`,
        ),
    )
    .executeTakeFirst()
  return counted > 0n
}

/**
 * Jobs that push a user's new messages to browsers. A failed push is not repeated. Their payload, which
 * `push_queue` writes: conversation ids; for a mention `conversation@sender`; for a text that failed
 * `conversation@sender@message`, without a sender if no person wrote it.
 */
export const pushJobs = (
  storeOf: (user: string) => Store,
  settings: PushSettings,
  log: Logger,
): JobKind => ({
  name: 'push',
  places: 16,
  placesOfHolder: 1,
  timeoutSeconds: 60,
  maxAttempts: 8,
  run: (job, signal) => runPushJob(storeOf(job.holder), settings, log, job, signal),
})

async function runPushJob(
  store: Store,
  settings: PushSettings,
  log: Logger,
  job: Job,
  signal: AbortSignal,
): Promise<undefined> {
  const { db } = store
  const news = await loadPushNews(db, job.holder, await beginPush(db, job))
  if (news.length === 0) return
  const keys = await loadVapidKeys(store)
  const call = async (target: PushTarget, notice: Notice) => {
    const status = await sendPush(
      target.subscription,
      makePushMessage(notice),
      keys,
      settings,
      signal,
    ).catch(
      (err) => void log.debug({ err, subscription: target.id }, 'could not push a notification'),
    )
    if (status && status >= 400 && !isSubscriptionGone(status))
      log.warn(
        { subscription: target.id, status, advice: adviseOnPush(status, settings) },
        'a push service refused a notification',
      )
    if (!signal.aborted) await recordPushAnswer(db, target, status)
  }
  const tell = async ([person, targets]: [string, PushTarget[]]) => {
    for (const notice of makeNotices(news, targets[0]!)) {
      if (!(await countPush(db, person))) return
      await Promise.all(targets.map((target) => call(target, notice)))
    }
  }
  const byPerson = Map.groupBy(await loadPushTargets(db, job.holder), ({ person }) => person)
  await Promise.all([...byPerson].map(tell))
}

/** Deletes the counts of hours that are over. */
export const cleanUpPushes = (db: Db) =>
  queries(db).deleteFrom('push_hours').where('ends', '<=', sql<Date>`now()`).execute()
