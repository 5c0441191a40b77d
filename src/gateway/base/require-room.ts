import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'

/** Maximum records of a user. 20 webhooks turn 1,000 events into 20,000 deliveries. */
const MOST_OWN = {
  webhooks: [20, LOCKS.webhookCount],
  hooks: [20, LOCKS.hookCount],
  labels: [100, LOCKS.labelCount],
  inbox_views: [50, LOCKS.viewCount],
} as const

/** Throws 400 if the user has MOST_OWN already. Until the transaction of `db` ends, other creations wait. */
export async function requireRoomFor(
  db: Db,
  kind: keyof typeof MOST_OWN,
  user: string,
): Promise<void> {
  const [most, lock] = MOST_OWN[kind]
  await acquireLock(db, lock, user)
  const { own } = await queries(db)
    .selectFrom(kind)
    .select(({ fn }) => fn.countAll<number>().as('own'))
    .where('user', '=', user)
    .executeTakeFirstOrThrow()
  if (own < most) return
  const message = `A user has at most ${most} ${kind.replace('_', ' ')}.`
  throw invalidFields({ user: makeFieldError(`validation_too_many_${kind}`, message) })
}
