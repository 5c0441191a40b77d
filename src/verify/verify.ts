import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import { queries } from '../db/queries.ts'
import { GatewayError } from '../errors.ts'
import { endPause } from '../sms/codes/counts.ts'
import { cancelMessage } from '../sms/queue/cancel.ts'
import { may } from '../sms/send/judge.ts'
import { gatewayRefusal } from '../sms/send/refusals.ts'
import { accountSender } from '../sms/send/sender.ts'
import { COLUMNS, hashOf, MAX_ATTEMPTS, type Verification } from './verification.ts'

/** Names a verification by its id, or as the last one of a phone number and a service. '': not given. */
export interface Named {
  readonly id: string
  readonly to: string
  readonly service: string
}

/** Checks a code, which works only once. The fifth wrong code ends the verification. */
export async function checkVerification(
  { db }: Store,
  user: string,
  { code, id, to, service }: Named & { readonly code: string },
): Promise<Verification> {
  const hash = await hashOf(db, user, code)
  const call = sql<Verification>`verify_check(${user}, ${id}, ${to}, ${service}, ${hash}, ${MAX_ATTEMPTS}::int)`
  const checked = await queries(db).selectFrom(call.as('v')).selectAll().executeTakeFirstOrThrow()
  if (checked.status === 'approved') await endPause(db, user, checked.to)
  return checked
}

/**
 * Ends a verification; cancels its text if no device has it. Leaves an ended one as it is. An approved one
 * gets 0 attempts, because nobody entered its code: see codes_stop. Throws 404.
 */
export async function endVerification(
  store: Store,
  user: string,
  { id, to, service }: Named,
  status: 'canceled' | 'approved',
): Promise<Verification> {
  const call = sql<
    Verification & { message: string }
  >`verify_end(${user}, ${id}, ${to}, ${service}, ${status})`
  const found = await queries(store.db).selectFrom(call.as('v')).selectAll().executeTakeFirst()
  if (!found) throw gatewayRefusal('verification_not_found')
  const { message, ...verification } = found
  if (verification.status === 'approved') await endPause(store.db, user, verification.to)
  if (message !== '')
    await cancelMessage(store, may(accountSender(user, user), 'cancel'), message).catch(ignoreSent)
  return verification
}

function ignoreSent(error: unknown) {
  if (!(error instanceof GatewayError)) throw error
}

/** A verification of a user. Throws 404. */
export async function findVerification(
  { db }: Store,
  user: string,
  { id, to, service }: Named,
): Promise<Verification> {
  const named = sql<string>`(select verify_named(${user}, ${id}, ${to}, ${service}))`
  const found = await queries(db)
    .selectFrom('verifications')
    .select(COLUMNS)
    .where('id', '=', named)
    .executeTakeFirst()
  if (!found) throw gatewayRefusal('verification_not_found')
  return found
}
