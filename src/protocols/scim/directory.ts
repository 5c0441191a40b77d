import { sql } from 'kysely'
import { isKey, type KeyHolder } from '../../engine/auth/identify-key.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { StaleAuth } from '../../engine/records/check-auth-version.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { hasScope, MEMBERS_SCOPE } from '../../engine/request/scopes.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeScopeError } from '../../gateway/base/permissions.ts'
import type { HasServices, Permission } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { byKey } from '../../http/identify-caller.ts'
import { DIRECTORY } from '../../http/openapi/security.ts'
import type { Ctx } from '../../http/request-context.ts'
import { retryRequest } from '../../http/retry-request.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'
import type { GatewayServices } from '../gateway-services.ts'

/** The directory of an account, which asks with an API key. */
export interface DirectoryCaller extends HasServices<GatewayServices> {
  readonly c: Ctx
  readonly store: Store
  readonly auth: AuthRecord
  readonly key: KeyHolder
  /** The body, if the route reads one. */
  readonly json: unknown
}

const BEARER = /^bearer +(\S+) *$/i

/** An API key of the account with MEMBERS_SCOPE, as bearer token. */
export const allowDirectory = (hasBody = false): Permission<DirectoryCaller, GatewayServices> => ({
  security: DIRECTORY,
  credentials: byKey(({ authorization = '' }) => {
    const key = BEARER.exec(authorization)?.[1] ?? ''
    return isKey(key) ? { key } : undefined
  }),
  withCaller: (c, services, work) =>
    retryRequest(services.store, c.env.incoming, async (found) => {
      if (!found?.key) throw gatewayRefusal('unauthorized')
      const { auth, key } = found
      if (!hasScope(key.scopes, MEMBERS_SCOPE)) throw makeScopeError(MEMBERS_SCOPE)
      const json = hasBody ? await readJsonBody(c) : undefined
      return work({ c, services, auth, key, json, store: c.env.incoming.openStore(auth) })
    }),
})

/** What a request of the directory changes, in its transaction. */
export interface Directory {
  readonly store: Store
  readonly services: GatewayServices
  readonly account: string
  /** The id of the key in `senders`, for the log of changes. */
  readonly by: string
}

/**
 * Runs `work` in a transaction. Requests of one account take turns, so that none overwrites groups or roles
 * of another. Until it ends, the key cannot be deleted or changed.
 */
export const changeDirectory = <T>(
  { store, auth, key, services }: DirectoryCaller,
  work: (directory: Directory) => Promise<T>,
): Promise<T> =>
  store.db.transaction(async (db) => {
    await acquireLock(db, LOCKS.directory, auth.id)
    const held = await queries(db)
      .selectFrom('api_keys as k')
      .select('k.id')
      .where('k.id', '=', key.id)
      .where(sql`key_version(k)`, '=', key.version)
      .where(({ not }) => not(isDisabled('k.user')))
      .forShare('k')
      .executeTakeFirst()
    if (!held) throw new StaleAuth()
    return work({ store: { db, catalog: store.catalog }, services, account: auth.id, by: key.id })
  })
