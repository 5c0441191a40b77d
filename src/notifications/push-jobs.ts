import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { objectsOf } from '../db/rows.ts'
import type { Logger } from '../log.ts'
import { isDisabledSql } from '../records/auth/disabled.ts'
import { PUSH } from '../sms/conversations/heard.ts'
import { isGone, type PushMessage, type PushSettings, sendPush, vapidKeys } from '../sms/devices/web-push.ts'
import type { Job, JobKind } from '../work/queue.ts'
import { endTarget, noteFailure, noteSuccess, targetsOf } from './subscriptions.ts'

/** A conversation with unread texts. */
interface Unread {
  readonly conversation: string
  readonly number: string
  readonly name: string
  /** The start of the last text. '' when it was deleted. */
  readonly text: string
  readonly unread: number
}

/** Content of a push: one conversation, or the number of them. The console's service worker reads it. */
type Notice = Unread | { readonly conversations: number }

const MAX_TEXT = 120
/** More conversations at once become one notification. */
const MAX_AT_ONCE = 3
/** Older notifications are dropped. The console shows the unread count. */
const TTL_SECONDS = 86_400

const READ = `
select c.id as conversation, c.number, c.name, left(c.last_text, ${MAX_TEXT}) as text, c.unread
from conversations c
where c.id = any($1) and c."user" = $2 and c.unread > 0 and not c.archived and not ${isDisabledSql('c."user"')}
order by c.last_at, c.id`

/** Notices of a user's conversations, without those that were read. None for a disabled user. */
async function noticesOf(db: Db, user: string, conversations: readonly string[]): Promise<Notice[]> {
  const unread = objectsOf<Unread>(await db.query(READ, [conversations, user], 'push notices'))
  return unread.length > MAX_AT_ONCE ? [{ conversations: unread.length }] : unread
}

/** A newer message of the same conversation replaces it at the push service. */
const messageOf = (notice: Notice): PushMessage => ({
  text: JSON.stringify(notice),
  topic: 'conversation' in notice ? notice.conversation : 'conversations',
  ttlSeconds: TTL_SECONDS,
})

/** Pushes of an account in an hour, to all its browsers at once. */
const MAX_AN_HOUR = 60

/** Returns the conversations to push. New texts wait in another job, which starts after a pause. */
const BEGIN = `
with pause as (
  insert into push_hours ("user", pushes, ends, next_at)
  values ($2, 0, now() + interval '1 hour', now() + interval '10 seconds')
  on conflict ("user") do update set next_at = excluded.next_at
)
update _jobs set key = 'run:' || id where id = $1 returning payload::text`

const COUNT = `
update push_hours set pushes = case when ends <= now() then 1 else pushes + 1 end,
  ends = case when ends <= now() then now() + interval '1 hour' else ends end
where "user" = $1 and (ends <= now() or pushes < ${MAX_AN_HOUR})`

/**
 * The jobs that push new texts to browsers: one for all waiting conversations of a user. Each push is sent
 * once, even if its push service refuses it.
 */
export const pushJobs = (storeOf: (user: string) => Store, settings: PushSettings, log: Logger): JobKind => ({
  name: PUSH,
  places: 16,
  placesOfHolder: 1,
  timeoutSeconds: 60,
  maxAttempts: 8,
  run: (job, signal) => push(storeOf(job.holder), settings, log, job, signal),
})

async function push(
  store: Store,
  settings: PushSettings,
  log: Logger,
  { id, holder: user }: Job,
  signal: AbortSignal,
): Promise<undefined> {
  const { db } = store
  const { rows } = await db.query(BEGIN, [id, user], 'push begin')
  const conversations: string[] = JSON.parse(String(rows[0]?.[0] ?? '[]'))
  const keys = await vapidKeys(store)
  for (const notice of await noticesOf(db, user, conversations)) {
    const { count } = await db.query(COUNT, [user], 'push count')
    if (count === 0) return
    const call = async (target: Awaited<ReturnType<typeof targetsOf>>[number]) => {
      const status = await sendPush(target.subscription, messageOf(notice), keys, settings, signal).catch(
        (err) => log.debug({ err, subscription: target.id }, 'a notification could not be pushed'),
      )
      if (signal.aborted) return
      if (status && isGone(status)) await endTarget(db, target)
      else if (!status || status >= 300) await noteFailure(db, target)
      else await noteSuccess(db, target)
    }
    await Promise.all((await targetsOf(db, user)).map(call))
  }
}

/** Deletes rows that limit nothing any more. */
export const cleanUpPushes = async (db: Db): Promise<void> =>
  void (await db.query('delete from push_hours where ends <= now()'))
