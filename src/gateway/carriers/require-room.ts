import { invalid } from '../../platform/common-refusals.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { lock, queries } from '../../platform/db/queries.ts'
import { ACCOUNT } from '../../programs/agent/drivers/http/settings.ts'
import { type CarrierBody, MAX_CARRIERS } from '../lines/carrier-body.ts'

/** Requests at the same time that all carriers of an account may make together. */
const MAX_PARALLEL = 100

const parallelOf = ({ parallel }: CarrierBody['account']) => ACCOUNT.shape.parallel.catch(10).parse(parallel)

/**
 * Throws 400 if an account gets too many carriers, or if these make too many requests at the same time.
 * `device`: the carrier that changes; '' for a new one. Call it in the transaction that stores the settings.
 */
export async function requireRoom(
  db: Db,
  user: string,
  account: CarrierBody['account'],
  device = '',
): Promise<void> {
  await lock(db, LOCKS.carrierCount, user)
  const others = await queries(db)
    .selectFrom('device_carriers')
    .select('account')
    .where('user', '=', user)
    .where('device', '<>', device)
    .execute()
  if (others.length >= MAX_CARRIERS) throw invalid(`An account has at most ${MAX_CARRIERS} carriers`)
  const all = [account, ...others.map((other) => JSON.parse(other.account))]
  if (all.reduce((sum, one) => sum + parallelOf(one), 0) > MAX_PARALLEL)
    throw invalid(`parallel of all carriers of an account must be at most ${MAX_PARALLEL} together`)
}
