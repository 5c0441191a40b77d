import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { hashSha256 } from '../../engine/auth/tokens.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { checkEndpoint, type PushSettings, type WebPushSubscription } from '../lines/web-push.ts'

/** Maximum browsers of one person. A further one replaces the oldest. */
const MAX_OF_USER = 20
const MAX_AGENT_LENGTH = 300

export const PUSH_BROWSER = z
  .object({
    endpoint: z.string().describe('The address at its push service.'),
    user_agent: z.string().describe('The browser, as it named itself.'),
    created: INSTANT,
  })
  .meta({ id: 'PushBrowser' })

/** A person with browsers: the account's owner (`sender` ''), or a member who acts for the account. */
interface Person {
  readonly user: string
  readonly sender: string
}

export const toBrowserOwner = ({ id, actor }: AuthRecord): Person => ({
  user: id,
  sender: actor?.id ?? '',
})

/** Stores a browser. Throws 400 if the endpoint is invalid, or another user has it with other keys. */
export async function saveBrowser(
  db: Db,
  person: Person,
  subscription: WebPushSubscription,
  userAgent: string,
  settings: PushSettings,
): Promise<void> {
  checkEndpoint(subscription, settings)
  const { endpoint } = subscription
  const keys = JSON.stringify(subscription.keys)
  const user_agent = userAgent.slice(0, MAX_AGENT_LENGTH)
  if (!(await upsertBrowser(db, person, { id: hashSha256(endpoint), endpoint, keys, user_agent })))
    throw invalidRequest('endpoint belongs to another account')
}

/** Stores a browser. If another user signs in there (same endpoint and keys), it becomes that user's. */
async function upsertBrowser(
  db: Db,
  { user, sender }: Person,
  browser: Omit<Insertable<Tables['push_subscriptions']>, 'user'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: saved = 0n } = await queries(db)
    .with('oldest', (query) =>
      query.deleteFrom('push_subscriptions').where('id', 'in', ({ selectFrom }) =>
        selectFrom('push_subscriptions')
          .select('id')
          .where('user', '=', user)
          .where('sender', '=', sender)
          .where('id', '<>', browser.id)
          .orderBy('created', 'desc')
          .orderBy('id')
          .offset(sql.lit(MAX_OF_USER - 1)),
      ),
    )
    .insertInto('push_subscriptions')
    .values({ ...browser, user, sender })
    .onConflict((found) =>
      found
        .column('id')
        .doUpdateSet(({ ref }) => ({
          user: ref('excluded.user'),
          keys: ref('excluded.keys'),
          user_agent: ref('excluded.user_agent'),
          sender: ref('excluded.sender'),
          failures: 0,
        }))
        .where(
          sql<boolean>`push_subscriptions."user" = excluded."user" or push_subscriptions.keys::text = excluded.keys::text`,
        ),
    )
    .executeTakeFirst()
  return saved > 0n
}

export const listBrowsers = (
  db: Db,
  { user, sender }: Person,
): Promise<z.output<typeof PUSH_BROWSER>[]> =>
  queries(db)
    .selectFrom('push_subscriptions')
    .select(['endpoint', 'user_agent', sql<string>`pb_text(created)`.as('created')])
    .where('user', '=', user)
    .where('sender', '=', sender)
    .orderBy('push_subscriptions.created', 'desc')
    .orderBy('id')
    .execute()

/** Deletes one browser of a person, or all. A missing one is no error. */
export async function endBrowsers(
  db: Db,
  { user, sender }: Person,
  endpoint?: string,
): Promise<void> {
  await queries(db)
    .deleteFrom('push_subscriptions')
    .where('user', '=', user)
    .where('sender', '=', sender)
    .$if(endpoint !== undefined, (query) => query.where('id', '=', hashSha256(endpoint!)))
    .execute()
}
