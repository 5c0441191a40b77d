import { sha256 } from '../../auth/tokens.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { invalid } from '../../sms/send/refusals.ts'

/**
 * Throws 400 if a carrier's secret is an API key of the carrier's own account: its texts would return to it.
 */
export async function refuseOwnKey(db: Db, user: string, secret: string): Promise<void> {
  if (secret === '') return
  const hash = sha256(secret)
  const own = await queries(db)
    .selectFrom('api_keys')
    .select('id')
    .where('user', '=', user)
    .where(({ or, eb }) => or([eb('hash', '=', hash), eb('previous_hash', '=', hash)]))
    .executeTakeFirst()
  if (own) throw invalid('The secret is a key of this account: its texts would return to it')
}
