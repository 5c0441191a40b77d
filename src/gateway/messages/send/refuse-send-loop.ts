import type { Store } from '../../../engine/collections/catalog.ts'
import { queries } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'

/** The header in which a carrier of the preset `pocketsms` names the attempt that it sends: `ID.NUMBER`. */
export const ATTEMPT_HEADER = 'x-carrier-attempt'

/**
 * Throws 403 if the attempt is of a text of this same account. The account is then its own carrier, and
 * would send the text to itself again and again.
 */
export async function refuseOwnAttempt(
  { db }: Store,
  user: string,
  attempt: string,
): Promise<void> {
  const [id = ''] = attempt.split('.')
  const own = await queries(db)
    .selectFrom('sms_messages')
    .select('id')
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  if (own) throw gatewayRefusal('forbidden', 'The carrier of this account is the account itself')
}
