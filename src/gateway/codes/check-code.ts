import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { makeAccountSender, type Sender } from '../base/make-sender.ts'
import { requirePermit } from '../base/permissions.ts'
import { cancelMessage } from '../messages/queue/cancel-messages.ts'
import { requireReach } from '../messages/send/sending-permission.ts'
import { endPause } from './limits/count-codes.ts'
import {
  hashVerificationCode,
  MAX_ATTEMPTS,
  VERIFICATION_COLUMNS,
  type Verification,
} from './verification-schemas.ts'

/** Names a verification by its id, or as the last one of a phone number and a service. '': not given. */
export interface VerificationName {
  readonly id: string
  readonly to: string
  readonly service: string
}

/** Judges a code's number, as its start does. Throws 403 `destination_not_allowed`, StaleAuth. */
async function requireNumber(db: Db, sender: Sender, { id, to }: VerificationName): Promise<void> {
  const found = id === '' ? { to } : await findVerifiedNumber(db, sender.user, id)
  await requireReach(db, requirePermit(sender, 'verify'), found ? [found.to] : [])
}

const findVerifiedNumber = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('verifications')
    .select('to')
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()

/** Checks a code, which works only once. The fifth wrong code ends the verification. Throws 403. */
export async function checkVerification(
  { db }: Store,
  sender: Sender,
  named: VerificationName & { readonly code: string },
): Promise<Verification> {
  await requireNumber(db, sender, named)
  const { user } = sender
  const { code, id, to, service } = named
  const hash = await hashVerificationCode(db, user, code)
  const call = sql<Verification>`verify_check(${user}, ${id}, ${to}, ${service}, ${hash}, ${MAX_ATTEMPTS}::int)`
  const checked = await queries(db).selectFrom(call.as('v')).selectAll().executeTakeFirstOrThrow()
  if (checked.status === 'approved') await endPause(db, user, checked.to)
  return checked
}

/**
 * Ends a verification, and cancels its text unless a device has claimed it. Does not change an ended
 * verification. One that is approved here gets 0 attempts, as its code was not entered: see codes_stop.
 * Throws 403, 404.
 */
export async function endVerification(
  store: Store,
  sender: Sender,
  named: VerificationName,
  status: 'canceled' | 'approved',
): Promise<Verification> {
  await requireNumber(store.db, sender, named)
  const { user } = sender
  const { id, to, service } = named
  const call = sql<
    Verification & { message: string }
  >`verify_end(${user}, ${id}, ${to}, ${service}, ${status})`
  const found = await queries(store.db).selectFrom(call.as('v')).selectAll().executeTakeFirst()
  if (!found) throw gatewayRefusal('verification_not_found')
  const { message, ...verification } = found
  if (verification.status === 'approved') await endPause(store.db, user, verification.to)
  if (message !== '')
    await cancelMessage(
      store,
      requirePermit(makeAccountSender(user, user), 'cancel'),
      message,
    ).catch(ignoreGatewayError)
  return verification
}

function ignoreGatewayError(error: unknown) {
  if (!(error instanceof GatewayError)) throw error
}

/** A verification of a user. Throws 404. */
export async function findVerification(
  { db }: Store,
  user: string,
  { id, to, service }: VerificationName,
): Promise<Verification> {
  const named = sql<string>`(select verify_named(${user}, ${id}, ${to}, ${service}))`
  const found = await queries(db)
    .selectFrom('verifications')
    .select(VERIFICATION_COLUMNS)
    .where('id', '=', named)
    .executeTakeFirst()
  if (!found) throw gatewayRefusal('verification_not_found')
  return found
}
