import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import { anyFound, NOW, queries } from '../db/queries.ts'
import { keyedHash, seal, unseal } from '../db/secrets.ts'
import { GatewayError } from '../errors.ts'
import { formatDate } from '../fields/date.ts'
import { callingCodeOf } from '../portable/phone/e164.ts'
import { noteChanges } from '../records/record-sql.ts'
import { beginPause, endPause, takeCodes } from '../sms/codes/counts.ts'
import { requireDestinations } from '../sms/codes/destinations.ts'
import { CODE_PRIORITY } from '../sms/codes/text-code.ts'
import { cancelMessage } from '../sms/queue/cancel.ts'
import type { AcceptConfig } from '../sms/send/accept.ts'
import { PLAIN_OPTIONS, toOne } from '../sms/send/body.ts'
import { checkLength, loadTemplate } from '../sms/send/content.ts'
import { dateAt } from '../sms/send/expiry.ts'
import { may } from '../sms/send/judge.ts'
import { optedOut } from '../sms/send/opted-out.ts'
import { checkPhones } from '../sms/send/recipients.ts'
import { gatewayRefusal } from '../sms/send/refusals.ts'
import { prepareOffer, sendInside } from '../sms/send/send.ts'
import { accountSender } from '../sms/send/sender.ts'
import { wakeDevices } from '../sms/wake.ts'
import { randomDigits, randomId } from '../tools/random.ts'
import {
  CODES,
  COLUMNS,
  findService,
  MAX_ATTEMPTS,
  type Service,
  type Start,
  type Verification,
  writeCode,
} from './service.ts'

export interface VerifyServices {
  readonly store: Store
  readonly config: AcceptConfig & Pick<Config, 'maxRecipients'>
}

/** Sends a code, or the pending one again. Throws 400, 403, 404, 429, and as `send`. */
export async function startVerification(
  { store, config }: VerifyServices,
  start: Start,
): Promise<Verification> {
  const { sender, to, templateId } = start
  checkPhones([to])
  const service = await findService(store, sender.user, start.service)
  await requireDestinations(store, sender.user, [to])
  const template = templateId && (await loadTemplate(store, sender.user, templateId))
  if ((await optedOut(store, sender.user, [to])).size > 0) throw gatewayRefusal('recipient_opted_out')
  const { verification, wake } = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const code = await codeFor(inside, config, service, start)
    const options = { ...PLAIN_OPTIONS, priority: CODE_PRIORITY, expiresAt: code.expires_at, isBulk: true }
    const content = writeCode(service, { ...start, template }, to, code.text)
    checkLength(content.body)
    const offer = await prepareOffer(inside, config.maxRecipients, sender, toOne(to, content, options))
    const wake = await sendInside(inside, config, offer)
    return { verification: await keep(inside, service, start, code, offer.messages[0]!.id), wake }
  })
  wakeDevices(store.db, wake)
  return verification
}

interface Code {
  readonly verification: string
  readonly text: string
  readonly sends: number
  readonly expires_at: string
}

/** The pause after a first code to a number, in seconds. It doubles each time the code is sent again. */
const PAUSE_SECONDS = 30

/** now() is the time before the transaction waited for the number's lock. */
const TRUE_NOW = sql<string>`pb_text(clock_timestamp())`

/** The pending verification of a number, locked, with its code. */
const findPending = (db: Db, service: string, to: string) =>
  queries(db)
    .selectFrom('verifications as v')
    .innerJoin('_verify_codes as c', 'c.verification', 'v.id')
    .select(['v.id', 'v.sends', 'v.expires_at', 'c.sealed'])
    .where('v.service', '=', service)
    .where('v.to', '=', to)
    .where('v.status', '=', sql.lit('pending'))
    .where('v.expires_at', '>', TRUE_NOW)
    .orderBy('v.created', 'desc')
    .limit(1)
    .forUpdate('v')
    .executeTakeFirst()

async function codeFor(
  store: Store,
  config: VerifyServices['config'],
  service: Service,
  start: Start,
): Promise<Code> {
  const { db } = store
  const { user } = start.sender
  await takeCodes(store, config, { user, phones: [start.to], ip: start.ip })
  const pending = await findPending(db, service.id, start.to)
  await beginPause(db, user, start.to, PAUSE_SECONDS * 2 ** (pending?.sends ?? 0))
  const text = pending && (await unseal(db, CODES, pending.id, pending.sealed))
  if (pending && text) return { ...pending, verification: pending.id, text }
  const expires_at = dateAt(Date.now() + (start.ttl || service.ttl) * 1000)
  const digits = randomDigits(start.length || service.code_length)
  return { verification: randomId(), text: digits, sends: 0, expires_at }
}

function keep({ db }: Store, service: Service, start: Start, code: Code, message: string) {
  if (code.sends > 0) return countSend(db, code.verification, message)
  return create(db, service, start, code, message)
}

async function create(
  db: Db,
  service: Service,
  { sender: { user }, to }: Start,
  code: Code,
  message: string,
) {
  const { verification: id, expires_at } = code
  const hash = await hashOf(db, user, code.text)
  const sealed = await seal(db, CODES, id, code.text)
  return queries(db)
    .with('written', (query) =>
      query
        .insertInto('verifications')
        .values({
          ...{ id, user, service: service.id, to, country: callingCodeOf(to), expires_at, message },
          ...{ channel: 'sms', status: 'pending', sends: 1, created: TRUE_NOW, updated: TRUE_NOW },
        })
        .returningAll(),
    )
    .with('coded', (query) => query.insertInto('_verify_codes').values({ verification: id, hash, sealed }))
    .with('noted', noteChanges('create', 'verifications', 'ids'))
    .selectFrom('written')
    .select(COLUMNS)
    .executeTakeFirstOrThrow()
}

const countSend = (db: Db, verification: string, message: string) =>
  queries(db)
    .with('written', (query) =>
      query
        .updateTable('verifications')
        .set((eb) => ({ sends: eb('sends', '+', 1), message, updated: TRUE_NOW }))
        .where('id', '=', verification)
        .returningAll(),
    )
    .with('noted', noteChanges('update', 'verifications', 'ids'))
    .selectFrom('written')
    .select(COLUMNS)
    .executeTakeFirstOrThrow()

const hashOf = (db: Store['db'], user: string, code: string) => keyedHash(db, CODES, `${user} ${code}`)

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

/** Ends verifications that have expired, and deletes their codes. Call it regularly, on any node. */
export async function expireVerifications(db: Db): Promise<void> {
  while ((await expireSome(db)) > 0);
}

/** Ends at most 1,000 verifications that have expired. Returns their number. */
async function expireSome(db: Db): Promise<number> {
  const { ended } = await queries(db)
    .with('written', (query) =>
      query
        .updateTable('verifications')
        .set({ status: 'expired', updated: NOW })
        .where('id', '=', ({ selectFrom }) =>
          anyFound(
            selectFrom('verifications')
              .select('id')
              .where('status', '=', sql.lit('pending'))
              .where('expires_at', '<=', NOW)
              .orderBy('expires_at')
              .limit(1_000)
              .forUpdate()
              .skipLocked(),
          ),
        )
        .returningAll(),
    )
    .with('forgotten', (query) =>
      query.deleteFrom('_verify_codes').using('written').whereRef('verification', '=', 'written.id'),
    )
    .with('noted', noteChanges('update', 'verifications', 'ids'))
    .selectFrom('written')
    .select(({ fn }) => fn.countAll<number>().as('ended'))
    .executeTakeFirstOrThrow()
  return ended
}

/** Deletes ended verifications that were created more than `days` days ago. */
export async function deleteOldVerifications(db: Db, days: number): Promise<void> {
  const before = formatDate(new Date(Date.now() - days * 86_400_000))
  await queries(db)
    .deleteFrom('verifications')
    .where('created', '<', before)
    .where('status', '<>', 'pending')
    .execute()
}
