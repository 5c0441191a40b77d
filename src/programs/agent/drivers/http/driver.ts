import { setTimeout as sleep } from 'node:timers/promises'
import { type OutgoingError, sendOutgoing } from '../../../../platform/outgoing/send-request.ts'
import { maskSecrets } from '../../../../platform/tools/mask-secrets.ts'
import { readRetryAfter } from '../../../../platform/tools/retry-after.ts'
import type {
  Driver,
  DriverEvents,
  OutgoingText,
  Recall,
  SendResult,
} from '../../driver-interface.ts'
import { type Carrier, isSenderService, listHiddenParts } from './carrier-account.ts'
import { fillRequest } from './fill-request.ts'
import { findMmsFault } from './mms-form.ts'
import { readAnswer, type Verdict } from './read-answer.ts'
import { openSendPace } from './send-pace.ts'

const MAX_ANSWER_BYTES = 64 << 10
/** Longest pause that a carrier may ask for: one hour. */
const MAX_WAIT_SECONDS = 3_600
/** The first pause before an attempt is repeated whose answer is missing. */
const REPEAT_MS = 1_000

interface DriverOptions {
  /** An earlier run reported a fault: the first text that is sent ends it. */
  readonly isFaulty?: boolean
  /** How long requests fail before the carrier counts as out of reach. */
  readonly unreachedMs?: number
}

type Asked = Verdict & { readonly waitSeconds?: number; readonly isMissed?: boolean }

/** A text, and the words in it that may be codes: more people see a fault than a text that is sealed. */
const collectSecretWords = (body: string) => [
  body,
  ...(body.match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter(hasDigit),
]
const hasDigit = (word: string) => /\p{N}/u.test(word)

/** Sends by a carrier's HTTP interface. Each sender counts as a SIM. `receive` starts to read calls. */
export function makeHttpDriver(
  carrier: Carrier,
  receive: (events: DriverEvents) => Promise<() => Promise<void>> = async () => async () => {},
  options: DriverOptions = {},
): Driver {
  const { senders, rate, parallel, answer_seconds, allowPrivate } = carrier
  const { isIdempotent } = carrier.interface
  let events: DriverEvents | undefined
  let stopReceiving = async () => {}
  let { isFaulty = false } = options
  let waitsFor = ''
  const reach = watchReach(options.unreachedMs)
  const pace = openSendPace(rate, () => events?.roomGrew())

  /** Makes a request, unless it gets no connection before `untilMs` or the recall of the text. */
  async function ask(text: OutgoingText, untilMs: number, recall?: Recall): Promise<Asked> {
    const fault = findMmsFault(carrier, text)
    if (fault) return { means: 'unsent', id: '', error: fault }
    try {
      const request = fillRequest(carrier, text)
      const limits = {
        allowPrivate,
        maxBodyBytes: MAX_ANSWER_BYTES,
        timeoutMs: answer_seconds * 1000,
        connectMs: Math.max(0, untilMs - performance.now()),
        ...(recall && { connectSignal: recall.signal }),
      }
      const { status, headers, body } = await sendOutgoing(request, limits)
      const waitSeconds = Math.min(readRetryAfter(headers), MAX_WAIT_SECONDS)
      return { ...readAnswer(carrier, status, body.toString()), waitSeconds }
    } catch (error) {
      const { code = '', message, isUnsent = false } = error as OutgoingError
      const words = maskSecrets(message || code, listHiddenParts(carrier))
      // an address that `findUrlFault` refuses, or a template that cannot be filled: nothing was sent
      const wasRefused = code === '' && !/did not answer|hung up|hints/.test(message)
      if (wasRefused) return { means: 'account', id: '', error: words }
      if (!isUnsent) return { means: 'unknown', id: '', error: words }
      return {
        means: 'busy',
        id: '',
        error: `The carrier cannot be reached: ${words}`,
        isMissed: true,
      }
    }
  }

  async function send(text: OutgoingText, untilMs: number, recall?: Recall): Promise<SendResult> {
    if (performance.now() > untilMs) return { outcome: 'again' }
    let verdict = await ask(text, untilMs, recall)
    let maySent = verdict.means === 'unknown'
    for (let ms = REPEAT_MS; isIdempotent && verdict.means === 'unknown'; ms *= 2) {
      if (performance.now() + ms + answer_seconds * 1000 > untilMs) break
      const mayLeave = recall ? await recall.mayLeaveAfter(ms) : await sleep(ms, true)
      if (!mayLeave) break
      verdict = await ask(text, untilMs, recall)
    }
    const { means, error, waitSeconds = 0, isMissed } = verdict
    if (means === 'sent') maySent = false
    if (means === 'busy') pace.busy(waitSeconds * 1000)
    else if (means === 'account') pace.stopLine()
    else if (means !== 'unknown') pace.succeeded()
    waitsFor =
      means === 'busy' || means === 'account'
        ? maskSecrets(error, collectSecretWords(text.body))
        : ''
    if (!isMissed) reach.reached()
    if (means === 'account' || (isMissed && reach.missed())) reportFault(waitsFor)
    else if (means !== 'busy' && means !== 'unknown') reportFault('')
    if (maySent) return { outcome: 'unknown' }
    if (means === 'busy') return { outcome: 'again' }
    return means === 'sent'
      ? { outcome: 'sent' }
      : { outcome: 'failed', error, notSent: means === 'account' || means === 'unsent' }
  }

  function reportFault(text: string): void {
    if (text === '' && !isFaulty) return
    isFaulty = text !== ''
    events?.fault?.(text)
  }

  return {
    sims: senders.map((sender, i) => ({
      slot: i + 1,
      ...nameSender(sender),
      carrier: carrier.preset === 'custom' ? new URL(carrier.address).host : carrier.preset,
    })),
    isRepeatable: isIdempotent,
    sendsMms: carrier.interface.mms.length > 0,
    get parallel() {
      if (pace.isPaused()) return 0
      return pace.isTrying() ? 1 : parallel
    },
    get waitsFor() {
      return waitsFor || 'The carrier takes too few texts a second'
    },
    async start(given) {
      events = given
      stopReceiving = await receive(given)
    },
    ready: pace.turn,
    send,
    async stop() {
      pace.close()
      await stopReceiving()
    },
  }
}

/** The sender that a line shows: none for a service, which chooses a number for each text. */
const nameSender = (sender: string) => {
  if (isSenderService(sender)) return {}
  return sender.startsWith('+') ? { number: sender } : { sender }
}

/** The requests in a row, and the time, that must fail before a carrier counts as out of reach. */
const FAILURES = 5
const LONG_MS = 60_000

/** Notices that a carrier cannot be reached: a wrong name or address, or a closed port. */
export function watchReach(longMs = LONG_MS) {
  let failures = 0
  let sinceMs = 0
  return {
    /** Counts a request that did not reach the carrier. Whether the carrier now counts as out of reach. */
    missed(nowMs = performance.now()): boolean {
      if (failures++ === 0) sinceMs = nowMs
      return failures >= FAILURES && nowMs - sinceMs >= longMs
    },
    reached(): void {
      failures = 0
    },
  }
}
