import type { Store } from '../../../engine/collections/catalog.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Config } from '../../../platform/config.ts'
import { queries } from '../../../platform/db/queries.ts'
import { makeRandomId } from '../../../platform/tools/random.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import { requirePermit } from '../../base/permissions.ts'
import { keepGiven } from './check-client-ref.ts'
import { toOfferedScope } from './consent-scope.ts'
import { SEALED, sealText } from './encrypt-text.ts'
import type { Idempotency } from './idempotency.ts'
import { writeStoredText } from './mms.ts'
import type { Offer, OfferedMessage } from './offer.ts'
import { readAllRecipients } from './read-all-recipients.ts'
import { chargeRefused, MIN_RECIPIENTS } from './refused-recipients.ts'
import type { Origin, SendBody, SendOptions } from './send-options.ts'
import zones from './time-zones.json' with { type: 'json' }
import { findSharedText, readConsentScope, writeTexts } from './write-text-bodies.ts'

export type OfferConfig = Pick<Config, 'maxRecipients' | 'publicUrl'>

/** The messages of an accepted send. `batch`: names all of them; '' when it is one. */
export interface SendResult {
  readonly batch: string
  /** In the order of the recipients. */
  readonly ids: readonly string[]
}

/** The answer to a send, JSON of ACCEPTED. */
export const writeAnswer = ({ batch, ids }: SendResult): string =>
  JSON.stringify({
    batch_id: batch,
    message_ids: ids,
    recipients_count: ids.length,
    status: 'accepted',
  })

/** A new message. `isShared`: its text is the offer's `body`; `keepsQuiet`: it waits during quiet hours. */
export const makeOfferedMessage = (
  { to, body, segments }: { readonly to: string; readonly body: string; readonly segments: number },
  isShared: boolean,
  keepsQuiet = false,
): OfferedMessage => ({
  id: makeRandomId(),
  to,
  segments,
  ...(!isShared && { body }),
  ...(keepsQuiet && { zone: findTimeZone(to) }),
})

/**
 * Makes an offer from a checked body: finds its recipients and writes its texts. All ways that send a body
 * make their offers here. Throws 400, 403, 404, 429.
 */
export async function prepareOffer(
  store: Store,
  config: OfferConfig,
  sender: Sender,
  body: SendBody,
  idempotency?: Idempotency | null,
): Promise<Offer> {
  const { content, deviceId, line, media, options } = body
  const phones = await readAllRecipients(store, sender.user, body, config.maxRecipients)
  const permit = requirePermit(sender, 'send', phones.length)
  const scope = readConsentScope(body)
  if (phones.length >= MIN_RECIPIENTS) await chargeRefused(store, sender.user, phones, scope)
  const words = findSharedText(content)
  const shared = media && words !== undefined ? writeStoredText(words, media.files) : words
  const shown = 'body' in content ? content.shown : undefined
  // refuse an unknown device before a wrong template; for a plain text, `sms_accept` checks the device
  if (deviceId !== '' && shared === undefined) await checkDevice(store, sender.user, deviceId)
  const texts = await writeTexts(store, config, sender.user, content, phones)
  if (options.clientRef !== '' && texts.length > 1)
    throw invalidRequest('client_ref can name one message only')
  const messages: OfferedMessage[] = []
  const ids: string[] = []
  for (const text of texts) {
    const sized = media ? { ...text, segments: 0 } : text
    const message = makeOfferedMessage(sized, shared !== undefined, options.keepsQuiet)
    messages.push(message)
    ids.push(message.id)
  }
  const batch = messages.length > 1 ? makeRandomId() : ''
  const ref = batch || ids[0]!
  const given = options.clientRef === '' ? undefined : media?.given
  const origin = keepAnswered(
    keepGiven(shown === undefined ? options.origin : SEALED, given),
    options.answers,
  )
  return {
    ...options,
    permit,
    device: deviceId || undefined,
    line: line.id || undefined,
    from: line.number || undefined,
    later: options.scheduledAt !== '',
    batch: batch || undefined,
    body: shown ?? shared,
    sealed: shown === undefined ? undefined : await sealText(store.db, sender.user, shared!),
    isBulk: options.isBulk || messages.length > 1,
    idempotency: idempotency ?? undefined,
    answer: idempotency ? writeAnswer({ batch, ids }) : undefined,
    origin: origin && { ...origin, id: origin.id || ref },
    ...toOfferedScope(scope),
    media,
    given,
    messages,
  }
}

/** Marks a send that answers a person: `sms_conversation_answered` reads it. */
const keepAnswered = (
  origin: Origin | undefined,
  answers: SendOptions['answers'],
): Origin | undefined =>
  answers ? { api: 'answers', id: '', ...origin, data: { ...origin?.data, answers } } : origin

export async function isOwnLine(
  { db }: Store,
  table: 'devices' | 'lines',
  user: string,
  id: string,
) {
  const own = await queries(db)
    .selectFrom(table)
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  return own !== undefined
}

/** Throws 404 `device_not_found` for a device that is not the user's. */
export async function checkDevice(store: Store, user: string, id: string): Promise<void> {
  if (!(await isOwnLine(store, 'devices', user, id))) throw gatewayRefusal('device_not_found')
}

/** Maps calling codes (ITU-T E.164) to the IANA time zone of nearly all their people, if there is one. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several zones. */
export const findTimeZone = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''
