import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import { type ApiError, badRequest, notFound } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { PRESETS } from '../../portable/hook-presets.ts'
import { countSegments } from '../../portable/segments.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import { sendInTransaction } from '../messages/send/accept-send.ts'
import type { Offer } from '../messages/send/offer.ts'
import { prepareOffer } from '../messages/send/prepare-offer.ts'
import { nameFiles } from '../messages/send/same-send.ts'
import type { Pictures } from '../messages/send/send-with-pictures.ts'
import { type Handshake, readHandshake } from './answer-challenge.ts'
import { checkSignature, type PostedBody } from './check-signature.ts'
import { composeHookSend, composeHookText } from './compose-hook-text.ts'
import { cutToPartsBefore } from './cut-text-to-parts.ts'
import { lockHook } from './find-hook.ts'
import { type HookCall, listOutcomeTexts, OUTCOMES, toRefusedCall } from './hook-call-outcome.ts'
import { listPictures, loadHookPictures, PicturesWanted } from './hook-pictures.ts'
import { DEFAULT_PARTS, type Hook } from './hook-settings.ts'
import {
  loadRateWindow,
  recordHeldText,
  recordSentText,
  rememberHookCall,
  type Window,
} from './hourly-summary.ts'
import { readHookBody } from './read-hook-body.ts'
import { TooManyCodes } from './send-hook-error.ts'
import { acceptAlert, acceptCodes } from './send-hook-texts.ts'
import { storeHookCall } from './store-hook-call.ts'

export const HOOK_CALLED = z
  .object({
    outcome: OUTCOMES.describe(
      '`waiting`: no phone can send now, and the texts leave when one can. `repeated`: the event was sent before. `limited`: it is counted in a summary. `resolved`: the hook sends nothing when all is well again. `skipped`: the body is not one that it sends, or makes an empty text. `refused`: see `error`.',
    ),
    messages: z.array(z.string()).describe('Records of `sms_messages`.'),
    error: z
      .object({ http_code: z.int(), message: z.string() })
      .optional()
      .describe(
        'Why nothing was sent, in an answer to Supabase, which reads it only with the status 200.',
      ),
  })
  .meta({ id: 'HookCalled' })

/** `handshake`: what the caller must get or do instead of this answer. */
type HookAnswer = z.output<typeof HOOK_CALLED> & { readonly handshake?: Handshake }

/** Rolls back a call that was only tried. */
class Trial extends Error {
  readonly call: HookCall & Pick<Hook, 'preset'>

  constructor(call: Trial['call']) {
    super()
    this.call = call
  }
}

const NO_PICTURES: Pictures = { mention: '', fault: '' }

/**
 * Handles a call of a hook (incoming webhook): sends, and stores the call. Throws 404, or the call's refusal.
 * `isTrial`: sends nothing, and stores only a refused call. Takes places of heavy work.
 */
export async function handleHookCall(
  store: Store,
  config: Config,
  user: string,
  secret: string,
  posted: PostedBody,
  isTrial = false,
): Promise<HookAnswer> {
  const handle = (given: PostedBody) =>
    admission.heavyWork.run(makeUserHolder(user), () =>
      handleOnce(store, config, secret, given, isTrial),
    )
  try {
    return await handle(isTrial ? { ...posted, pictures: NO_PICTURES } : posted)
  } catch (error) {
    if (!(error instanceof PicturesWanted)) throw error
    // now that nothing is locked: an address may answer slowly
    return handle({
      ...posted,
      pictures: await loadHookPictures(store, user, config, posted, error),
    })
  }
}

/** Throws PicturesWanted, before anything is stored, for pictures that `posted` does not have yet. */
async function handleOnce(
  store: Store,
  config: Config,
  secret: string,
  posted: PostedBody,
  isTrial: boolean,
): Promise<HookAnswer> {
  const handled = store.db.transaction(async (db) => {
    const hook = await lockHook(db, secret)
    if (!hook) throw notFound()
    const inside = { db, catalog: store.catalog }
    const once = { ...hook, once_minutes: MAIL_MINUTES }
    const mail = posted.messageId
      ? await loadRateWindow(
          db,
          once,
          `mail ${posted.messageId} ${posted.raw}${nameFiles(posted.files ?? [])}`,
        )
      : undefined
    const made: HookCall = mail?.wasSent
      ? { outcome: 'repeated' }
      : await sendHookTexts(inside, config, hook, posted).catch(toRefusedCall)
    if (mail && !mail.wasSent && !made.refusal) await rememberHookCall(db, once, mail)
    await storeHookCall(inside, hook, posted.raw, made)
    const call = { ...made, preset: hook.preset }
    if (isTrial && !made.refusal) throw new Trial(call)
    return call
  })
  const call = await handled.catch((error: unknown) => {
    if (error instanceof Trial) return { ...error.call, wake: [] }
    throw error
  })
  wakeDevices(store.db, call.wake ?? [])
  const { outcome, refusal, messages = [], preset, handshake } = call
  const answer = { outcome, messages: [...messages], ...(handshake && { handshake }) }
  if (!refusal) return answer
  if (!PRESETS[preset].codes?.readsErrorsIn200) throw refusal
  return { ...answer, error: { http_code: refusal.status, message: refusal.message } }
}

/** A mail with the same Message-ID, text and pictures is not sent again within this time: one day. */
const MAIL_MINUTES = 1_440

/** Checks a call's signature and sends, in the transaction of `store`. A refused call stores no messages. */
async function sendHookTexts(
  store: Store,
  config: Config,
  hook: Hook,
  posted: PostedBody,
): Promise<HookCall> {
  const unread = posted.unread && composeUnread(hook, posted.unread)
  const name = checkSignature(hook, posted)
  const isCode = hook.kind === 'codes'
  if (!hook.enabled)
    return { outcome: 'disabled', ...(isCode && { refusal: badRequest('The hook is off.') }) }
  const body = readHookBody(posted.raw, posted.form)
  const handshake = readHandshake(body)
  if (handshake) return { outcome: 'skipped', handshake, note: handshake.note }
  const composed = unread ?? (await composeHookText(store, hook.user, hook, body))
  if (composed.outcome !== 'sent') return composed
  const window = await loadRateWindow(store.db, hook, composed.key || name)
  if (window.wasSent) return { outcome: 'repeated' }
  const sender = makeAccountSender(hook.user, hook.id)
  const offer = await prepareOffer(store, config, sender, composed.send)
  const phones = offer.messages.map(({ to }) => to)
  const texts = listOutcomeTexts(phones, composed.shown ?? composed.text)
  if (window.isOpen && window.sent >= hook.rate) {
    if (isCode) return { outcome: 'limited', refusal: makeRateError(window) }
    const summary = makeSummaryOffer(hook, window, offer)
    if (summary.messages.length > 0) await sendInTransaction(store, config, summary)
    await recordHeldText(store.db, hook, window, summary)
    return { outcome: 'limited', texts }
  }
  const named = listPictures(hook, body)
  if (named.length > 0 && !posted.pictures) throw new PicturesWanted(named)
  const later = window.quietUntil !== ''
  const due = { ...offer, scheduledAt: window.quietUntil, later }
  const accepted = isCode
    ? await acceptCodes(store, config, hook, due)
    : await acceptAlert(store, config, hook, due, posted.pictures)
  if (accepted.refusal) return { ...accepted, texts }
  await recordSentText(store.db, hook, window, accepted.segments ?? 0)
  if (hook.label) await callFunction(store.db, 'labels_add', hook.user, phones, hook.label)
  const messages = offer.messages.map(({ id }) => id)
  const note = posted.unread?.message ?? accepted.note
  return { ...accepted, texts, messages, ...(note && { note }) }
}

/** The refusal of login codes above the hook's hourly limit. (Alerts above it become one summary.) */
function makeRateError({ endsAt }: Window) {
  const seconds = Math.ceil((toDate(endsAt)!.getTime() - Date.now()) / 1000)
  return new TooManyCodes(
    Math.max(1, seconds),
    'The hook has sent as many codes as it may in an hour.',
  )
}

const MAX_PHONES = 1_000

/** The summary "and 5 more" of held-back calls, at the hour's end, to recipients who have none scheduled. */
function makeSummaryOffer(hook: Hook, { held, phones, endsAt }: Window, offer: Offer): Offer {
  const body = writeNews(hook, `: and ${held + 1} more`)
  const { segments } = countSegments(body)
  const others = offer.messages.filter(({ to }) => !phones.includes(to))
  const messages = others
    .slice(0, MAX_PHONES - phones.length)
    .map((message) => ({ ...message, segments }))
  return { ...offer, body, messages, scheduledAt: endsAt, later: true }
}

const writeNews = ({ name, max_parts }: Hook, news: string) =>
  cutToPartsBefore(name, news, max_parts || DEFAULT_PARTS)

const TOO_LARGE = 'an alarm was too large to read.'

/**
 * Writes a hook's text for a body that could not be read: one that is too large is news for its own
 * recipients. Throws the reason for other bodies, and for hooks of codes and those that check signatures:
 * nothing proves who called them.
 */
function composeUnread(hook: Hook, reason: ApiError) {
  const { kind, recipients, groups, signing_secret } = hook
  const isNews = reason.status === 413 && kind === 'alerts' && recipients.length + groups.length > 0
  if (!isNews || signing_secret !== '') throw reason
  const text = writeNews(hook, `: ${TOO_LARGE}`)
  const send = composeHookSend(hook, { numbers: [], groups: [] }, text)
  return { outcome: 'sent' as const, send, text, shown: undefined, key: TOO_LARGE }
}
