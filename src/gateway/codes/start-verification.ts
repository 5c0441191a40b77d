import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { logChanges } from '../../engine/records/log-changes.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { sealSecret, unsealSecret } from '../../platform/db/secrets.ts'
import { makeRandomDigits, makeRandomId } from '../../platform/tools/random.ts'
import { readCallingCode } from '../../portable/phone/calling-code.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Sender } from '../base/make-sender.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import { sendInTransaction } from '../messages/send/accept-send.ts'
import { checkPhones } from '../messages/send/load-all-recipients.ts'
import { formatInstant } from '../messages/send/message-expiry.ts'
import { prepareOffer } from '../messages/send/prepare-offer.ts'
import { findRefused } from '../messages/send/refused-recipients.ts'
import { makePlainSend } from '../messages/send/send-options.ts'
import type { AcceptConfig } from '../messages/send/store-offers.ts'
import { checkTextLength, loadTemplate } from '../messages/send/write-text-bodies.ts'
import { type Wording, writeCode } from './code-text.ts'
import { findService, type VerifyService } from './find-service.ts'
import { requireDestinations } from './limits/code-destinations.ts'
import { beginPause, countCodes } from './limits/count-codes.ts'
import { CODE_PRIORITY } from './limits/send-code-text.ts'
import {
  CODE_PURPOSE,
  hashVerificationCode,
  VERIFICATION_COLUMNS,
  type Verification,
} from './verification-schemas.ts'

interface VerifyServices {
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
  const template = templateId
    ? await loadTemplate(store, sender.user, templateId)
    : (start.template ?? '')
  if ((await findRefused(store, sender.user, [to])).size > 0)
    throw gatewayRefusal('recipient_opted_out')
  const { verification, wake } = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await countCodes(inside, config, { user: sender.user, phones: [to], ip: start.ip })
    const pending = await findPendingCode(db, service.id, to)
    await beginPause(db, sender.user, to, PAUSE_SECONDS * 2 ** (pending?.sends ?? 0))
    return sendVerificationCode({ store: inside, config }, service, { ...start, template }, pending)
  })
  wakeDevices(store.db, wake)
  return verification
}

/**
 * Sends a code that was counted, or the pending one again, in the caller's transaction. Returns the id of its
 * text and the devices to wake, too.
 */
export async function sendVerificationCode(
  { store, config }: VerifyServices,
  service: VerifyService,
  start: CodeStart,
  pending: Pending | undefined,
) {
  const code = await makeOrReuseCode(store.db, service, start, pending)
  const options = {
    priority: CODE_PRIORITY,
    expiresAt: code.expires_at,
    isBulk: true,
  }
  const content = writeCode(service, start, start.to, code.text)
  checkTextLength(content.body)
  const offer = await prepareOffer(
    store,
    config,
    start.sender,
    makePlainSend(start.to, content, options),
  )
  const message = offer.messages[0]!.id
  const verification = await storeVerification(store, service, start, code, message)
  // last: it locks the account's sends until the commit, and sends of others may wait in the same statement
  return { verification, message, wake: await sendInTransaction(store, config, offer) }
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
export const findPendingCode = (db: Db, service: string, to: string) =>
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

type Pending = NonNullable<Awaited<ReturnType<typeof findPendingCode>>>

async function makeOrReuseCode(
  db: Db,
  service: VerifyService,
  start: CodeStart,
  pending: Pending | undefined,
): Promise<Code> {
  const text = pending && (await unsealSecret(db, CODE_PURPOSE, pending.id, pending.sealed))
  if (pending && text) return { ...pending, verification: pending.id, text }
  const expires_at = formatInstant(Date.now() + (start.ttl || service.ttl) * 1000)
  const digits = makeRandomDigits(start.length || service.code_length)
  return { verification: makeRandomId(), text: digits, sends: 0, expires_at }
}

function storeVerification(
  { db }: Store,
  service: VerifyService,
  start: Recipient,
  code: Code,
  message: string,
) {
  if (code.sends > 0) return countSend(db, code.verification, message)
  return insertVerification(db, service, start, code, message)
}

async function insertVerification(
  db: Db,
  service: VerifyService,
  { sender: { user }, to }: Recipient,
  code: Code,
  message: string,
) {
  const { verification: id, expires_at } = code
  const hash = await hashVerificationCode(db, user, code.text)
  const sealed = await sealSecret(db, CODE_PURPOSE, id, code.text)
  return queries(db)
    .with('written', (query) =>
      query
        .insertInto('verifications')
        .values({
          id,
          user,
          service: service.id,
          to,
          country: readCallingCode(to),
          expires_at,
          message,
          channel: 'sms',
          status: 'pending',
          sends: 1,
          created: TRUE_NOW,
          updated: TRUE_NOW,
        })
        .returningAll(),
    )
    .with('coded', (query) =>
      query.insertInto('_verify_codes').values({ verification: id, hash, sealed }),
    )
    .with('noted', logChanges('create', 'verifications', 'ids'))
    .selectFrom('written')
    .select(VERIFICATION_COLUMNS)
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
    .with('noted', logChanges('update', 'verifications', 'ids'))
    .selectFrom('written')
    .select(VERIFICATION_COLUMNS)
    .executeTakeFirstOrThrow()

/** A request for a code. '' and 0 mean the service's own value. */
interface Start extends Omit<Wording, 'template'> {
  readonly sender: Sender
  readonly service: string
  readonly to: string
  readonly templateId: string
  /** A text with `{{code}}`, unless `templateId` names a template. */
  readonly template?: string
  readonly length: number
  readonly ttl: number
  /** The IP address of the person who asked for the code; '' if it is not known. */
  readonly ip: string
}

type Recipient = Pick<Start, 'sender' | 'to'>
type CodeStart = Recipient & Wording & Pick<Start, 'length' | 'ttl'>
