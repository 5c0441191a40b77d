import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { logChanges } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'

/** The settings of a service that sets none. */
export const SERVICE_DEFAULTS = { code_length: 6, ttl: 600 } as const

/** A service by its id; for '' the account's first one. */
const loadService = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('verify_services')
    // ttl: seconds; templates: JSON
    .select(['id', 'default_locale', 'code_length', 'domain', 'app_hash', 'ttl', 'templates'])
    .where('user', '=', user)
    .$if(id !== '', (query) => query.where('id', '=', id))
    // keys make services, too: those of the account itself are first
    .orderBy(({ eb }) => eb('api_key', '<>', ''))
    .orderBy('created')
    // two may be made in one millisecond
    .orderBy('_rowid')
    .limit(1)
    .executeTakeFirst()

export type VerifyService = NonNullable<Awaited<ReturnType<typeof loadService>>>

const makeService = (db: Db, user: string, name: string) =>
  queries(db)
    .with('written', (query) =>
      query
        .insertInto('verify_services')
        .values({
          id: sql<string>`pb_new_id()`,
          user,
          name,
          ...SERVICE_DEFAULTS,
          created: NOW,
          updated: NOW,
        })
        .onConflict((found) => found.columns(['user', 'name']).doNothing())
        .returning('id'),
    )
    .with('noted', logChanges('create', 'verify_services', 'ids'))
    .selectFrom('written')
    .execute()

/** A user's service by its id; for '' the account's first one, which is made if there is none. Throws 404. */
export async function findService({ db }: Store, user: string, id: string): Promise<VerifyService> {
  const service = await loadService(db, user, id)
  if (service) return service
  if (id !== '') throw gatewayRefusal('service_not_found')
  await makeService(db, user, 'default')
  return (await loadService(db, user, id))!
}

/** The id of an account's service with this name, which is made if there is none. */
export async function findOrMakeService(store: Store, user: string, name: string): Promise<string> {
  const { db } = store
  const read = () =>
    queries(db)
      .selectFrom('verify_services')
      .select('id')
      .where('user', '=', user)
      .where('name', '=', name)
      .executeTakeFirst()
  const found = await read()
  if (found) return found.id
  // the oldest service is the default one of the account
  await findService(store, user, '')
  await makeService(db, user, name)
  return (await read())!.id
}
