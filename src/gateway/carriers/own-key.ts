import { keysIn } from '../../engine/auth/identify-key.ts'
import { sha256 } from '../../engine/auth/tokens.ts'
import { invalid } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { anyOf, queries } from '../../platform/db/queries.ts'

/**
 * Throws 400 if an API key of the carrier's own account stands anywhere in its settings or its secret: its
 * texts would return to it.
 */
export async function refuseOwnKey(db: Db, user: string, settings: unknown, secret: string): Promise<void> {
  const hashes = keysIn(`${JSON.stringify(settings)} ${secret}`).map(sha256)
  if (hashes.length === 0) return
  const own = await queries(db)
    .selectFrom('api_keys')
    .select('id')
    .where('user', '=', user)
    .where(({ or, eb }) => or([eb('hash', '=', anyOf(hashes)), eb('previous_hash', '=', anyOf(hashes))]))
    .executeTakeFirst()
  if (own) throw invalid('The settings have a key of this account: its texts would return to it')
}
