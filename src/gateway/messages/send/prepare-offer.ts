import type { Store } from '../../../engine/collections/catalog.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Config } from '../../../platform/config.ts'
import { queries } from '../../../platform/db/queries.ts'
import { makeRandomId } from '../../../platform/tools/random.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import type { Media } from '../../base/message-files.ts'
import { type Permit, requirePermit } from '../../base/permissions.ts'
import { type ConsentScope, NO_SCOPE, toOfferedScope } from './consent-scope.ts'
import type { Idempotency } from './idempotency.ts'
import { loadAllRecipients } from './load-all-recipients.ts'
import { writeStoredText } from './mms.ts'
import type { Offer, OfferedMessage } from './offer.ts'
import { chargeRefused, MIN_RECIPIENTS } from './refused-recipients.ts'
import { keepGiven } from './same-send.ts'
import { SEALED, sealText } from './sealed-texts.ts'
import type { SendBody, SendOptions, SendOrigin } from './send-options.ts'
import zones from './time-zones.json' with { type: 'json' }
import { findSharedText, readConsentScope, type Text, writeTexts } from './write-text-bodies.ts'

export type OfferConfig = Pick<Config, 'maxRecipients' | 'publicUrl'>

/** The messages of an accepted send. `batch`: names all of them; '' when it is one. */
export interface SentMessages {
  readonly batch: string
  /** In the order of the recipients. */
  readonly ids: readonly string[]
  /** A PocketBase date, in UTC; '' or absent for a send that is due at once. */
  readonly scheduledAt?: string
}

export const writeAnswer = ({ batch, ids, scheduledAt }: SentMessages): string =>
  JSON.stringify({
    batch_id: batch,
    message_ids: ids,
    recipients_count: ids.length,
    status: 'accepted',
    ...(scheduledAt && { scheduled_at: scheduledAt }),
  })

/** A new message. `isShared`: its text is the offer's `body`; `keepsQuiet`: it waits during quiet hours. */
const makeOfferedMessage = (
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

interface WrittenSend {
  readonly permit: Permit
  readonly options: SendOptions
  readonly texts: readonly Pick<Text, 'to' | 'body' | 'segments'>[]
  /** The words of all texts, if these are equal. */
  readonly words?: string | undefined
  /** Ids of the only device and line that may send, or the line's number; '' for any. */
  readonly device?: string | undefined
  readonly line?: string | undefined
  readonly from?: string | undefined
  readonly media?: Media | undefined
  /** Names the messages. Default: an id of their own if they are several. */
  readonly batch?: string | undefined
  readonly scope?: ConsentScope | undefined
}

/** Makes an offer of written texts. All ways that send make their offers here. */
export function makeOffer({
  permit,
  options,
  texts,
  words,
  device,
  line,
  from,
  media,
  batch,
  scope = options.scope ?? NO_SCOPE,
}: WrittenSend): Offer {
  const messages: OfferedMessage[] = []
  for (const text of texts) {
    const sized = media ? { ...text, segments: 0 } : text
    messages.push(makeOfferedMessage(sized, words !== undefined, options.keepsQuiet))
  }
  return {
    ...options,
    permit,
    device: device || undefined,
    line: line || undefined,
    from: from || undefined,
    later: options.scheduledAt !== '',
    batch: batch ?? (messages.length > 1 ? makeRandomId() : undefined),
    body: media && words !== undefined ? writeStoredText(words, media.files) : words,
    isBulk: options.isBulk || messages.length > 1,
    ...toOfferedScope(scope),
    media,
    messages,
  }
}

/**
 * Makes an offer from a checked body: finds its recipients and writes its texts. Throws 400, 403, 404, 429.
 */
export async function prepareOffer(
  store: Store,
  config: OfferConfig,
  sender: Sender,
  body: SendBody,
  idempotency?: Idempotency | null,
): Promise<Offer> {
  const { content, deviceId, line, media, options } = body
  const phones = await loadAllRecipients(store, sender.user, body, config.maxRecipients)
  const permit = requirePermit(sender, 'send', phones.length)
  const scope = readConsentScope(body)
  if (phones.length >= MIN_RECIPIENTS) await chargeRefused(store, sender.user, phones, scope)
  const words = findSharedText(content)
  const shown = 'body' in content ? content.shown : undefined
  // refuse an unknown device before a wrong template; for a plain text, `sms_accept` checks the device
  if (deviceId !== '' && words === undefined) await checkDevice(store, sender.user, deviceId)
  const texts = await writeTexts(store, config, sender.user, content, phones)
  if (options.clientRef !== '' && texts.length > 1)
    throw invalidRequest('client_ref can name one message only')
  const { id, number } = line
  const named = { device: deviceId, line: id, from: number }
  const offer = makeOffer({ ...named, permit, options, texts, words, media, scope })
  const { batch = '', messages } = offer
  const ids = messages.map((message) => message.id)
  const given = options.clientRef === '' ? undefined : media?.given
  const origin = keepAnswered(
    keepGiven(shown === undefined ? options.origin : SEALED, given),
    options.answers,
  )
  return {
    ...offer,
    body: shown ?? offer.body,
    sealed: shown === undefined ? undefined : await sealText(store.db, sender.user, offer.body!),
    idempotency: idempotency ?? undefined,
    answer: idempotency ? writeAnswer({ batch, ids, scheduledAt: offer.scheduledAt }) : undefined,
    origin: origin && { ...origin, id: origin.id || batch || ids[0]! },
    given,
  }
}

/** Marks a send that answers a person: `sms_conversation_answered` reads it. */
const keepAnswered = (
  origin: SendOrigin | undefined,
  answers: SendOptions['answers'],
): SendOrigin | undefined =>
  answers ? { api: 'answers', id: '', ...origin, data: { ...origin?.data, answers } } : origin

export async function isOwnDeviceOrLine(
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
  if (!(await isOwnDeviceOrLine(store, 'devices', user, id)))
    throw gatewayRefusal('device_not_found')
}

/** Maps calling codes (ITU-T E.164) to the IANA time zone of nearly all their people, if there is one. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several zones. */
export const findTimeZone = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''
