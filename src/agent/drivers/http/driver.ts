import { setTimeout as sleep } from 'node:timers/promises'
import { sendOutgoing } from '../../../outgoing/send.ts'
import { masked } from '../../../tools/mask.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult } from '../../driver.ts'
import { readAnswer, type Verdict } from './answer.ts'
import { openPace } from './pace.ts'
import { fillRequest } from './request.ts'
import type { Carrier } from './settings.ts'

const MAX_ANSWER_BYTES = 64 << 10
/** Longest pause that a carrier may ask for: one hour. */
const MAX_WAIT_SECONDS = 3_600
/** The first pause before an attempt is repeated whose answer is missing. */
const REPEAT_MS = 1_000
/** Errors before a request leaves: the name, the address or the certificate is wrong, or nobody listens. */
const UNSENT =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENODATA|ESERVFAIL|ETIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/

/** Sends by a carrier's HTTP interface. Each sender counts as a SIM. `receive` starts to read calls. */
export function httpDriver(
  carrier: Carrier,
  receive: (events: DriverEvents) => Promise<() => Promise<void>> = async () => async () => {},
): Driver {
  const { senders, rate, parallel, answer_seconds, allowPrivate, secret, webhook_secret } = carrier
  const { isIdempotent } = carrier.interface
  let events: DriverEvents | undefined
  let stopReceiving = async () => {}
  let isFaulty = false
  const pace = openPace(rate, () => events?.roomGrew())

  async function ask(text: OutgoingText): Promise<Verdict & { readonly waitSeconds?: number }> {
    try {
      const request = fillRequest(carrier, text)
      const limits = { allowPrivate, maxBodyBytes: MAX_ANSWER_BYTES, timeoutMs: answer_seconds * 1000 }
      const { status, headers, body } = await sendOutgoing(request, limits)
      const waitSeconds = Math.min(Number(headers['retry-after']) || 0, MAX_WAIT_SECONDS)
      return { ...readAnswer(carrier, status, body.toString()), waitSeconds }
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      // urlFault refuses an address before anything is sent; a template that cannot be filled neither
      const wasRefused = code === '' && !/did not answer|hung up|hints/.test(message)
      const means = UNSENT.test(code) ? 'busy' : wasRefused ? 'account' : 'unknown'
      return { means, id: '', error: masked(message || code, [secret, webhook_secret].filter(Boolean)) }
    }
  }

  async function send(text: OutgoingText, untilMs: number): Promise<SendResult> {
    let verdict = await ask(text)
    let maySent = verdict.means === 'unknown'
    for (let ms = REPEAT_MS; isIdempotent && verdict.means === 'unknown'; ms *= 2) {
      if (performance.now() + ms + answer_seconds * 1000 > untilMs) break
      await sleep(ms)
      verdict = await ask(text)
    }
    const { means, error, waitSeconds = 0 } = verdict
    if (means === 'sent') maySent = false
    if (means === 'busy') pace.busy(waitSeconds * 1000)
    else if (means === 'account') pace.stopLine()
    else if (means !== 'unknown') pace.succeeded()
    if (means === 'account') tellFault(error)
    else if (means !== 'busy' && means !== 'unknown') tellFault('')
    if (maySent) return { outcome: 'unknown' }
    if (means === 'busy') return { outcome: 'again' }
    return means === 'sent'
      ? { outcome: 'sent' }
      : { outcome: 'failed', error, notSent: means === 'account' || means === 'unsent' }
  }

  function tellFault(text: string): void {
    if (text === '' && !isFaulty) return
    isFaulty = text !== ''
    events?.fault?.(text)
  }

  return {
    sims: senders.map((sender, i) => ({
      slot: i + 1,
      ...(sender.startsWith('+') ? { number: sender } : { sender }),
      carrier: carrier.preset === 'custom' ? new URL(carrier.address).host : carrier.preset,
    })),
    isRepeatable: isIdempotent,
    get parallel() {
      if (pace.isPaused()) return 0
      return pace.isTrying() ? 1 : parallel
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
