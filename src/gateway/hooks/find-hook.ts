import { sql } from 'kysely'
import { requireAllowedAddress, splitAddresses } from '../../engine/auth/allowed-addresses.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { QueryMethod } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { REPLAY_MINUTES } from './check-signature.ts'
import type { Hook } from './hook-settings.ts'

/** The hook with this secret, unless its account is disabled. */
const selectBySecret = (db: Db, secret: string, way?: QueryMethod) =>
  queries(db, way)
    .selectFrom('hooks as h')
    .where('h.secret', '=', secret)
    // repeats the condition of a partial index, so that Postgres can use it
    .where('h.secret', '<>', sql.lit(''))
    .where(({ not }) => not(isDisabled('h.user')))

/**
 * The account of the hook with this secret; undefined if the secret is unknown or the account disabled.
 * Throws 403 if the hook may not be called from this address.
 */
export async function findHookAccount(
  store: Store,
  secret: string,
  ip: string,
): Promise<string | undefined> {
  const hook = await selectBySecret(store.db, secret, 'lookUp')
    .select(['h.user', 'h.id', 'h.name', 'h.addresses'])
    .executeTakeFirst()
  if (!hook) return undefined
  const { user, id: record, name, addresses } = hook
  const used = { user, collection: 'hooks', record, name } as const
  requireAllowedAddress(store, splitAddresses(addresses), ip, used)
  return user
}

/** Locks the hook with this secret: its calls run one at a time on all servers. Undefined if unknown. */
export async function lockHook(db: Db, secret: string): Promise<Hook | undefined> {
  const row = await selectBySecret(db, secret).selectAll().forUpdate().executeTakeFirst()
  if (!row) return undefined
  const once_minutes = row.signing_secret
    ? Math.max(row.once_minutes, REPLAY_MINUTES)
    : row.once_minutes
  return { ...row, once_minutes, recipients: JSON.parse(row.recipients ?? '[]') }
}
