import { WakeSignal } from '../../platform/tools/repeat-work.ts'
import type { Driver, OutgoingText, SendResult } from './driver-interface.ts'
import { makeReceiptReports } from './receipt-reports.ts'
import type { Begun, Journal } from './send-journal.ts'
import { cutReason, fitTextToServer } from './server-limits.ts'
import { isDisabledRefusal, type Link, retryUntilEnded } from './server-link.ts'
import { openServerQueue } from './server-queue.ts'

/** A message that the server gave this device to send. Dates are in PocketBase's format. */
interface Claimed extends OutgoingText {
  readonly expires_at: string
  readonly lease_until: string
}

/** A message to send. `untilMs`: deadline for handing it to the radio (monotonic clock). */
interface Job extends Claimed {
  readonly untilMs: number
}

/** Interval of asking the server for messages, because its wake-up events can be lost. */
const POLL_MS = 30_000
/** Safety margin before the server's deadlines: answers show the server's clock only to the second. */
const MARGIN_MS = 2_000
/** The server's maximum of messages per request. */
const MAX_CLAIM = 100

/** Why a text is given back when the agent stops. Its line is not the cause. */
export const STOPPED = 'The agent was stopped'

/** Fetches, sends and reports messages until `ended`. Throws GatewayError, e.g. for an unknown device. */
export async function runDriver(
  server: Link,
  driver: Driver,
  journal: Journal,
  say: (line: string) => void,
  ended: AbortSignal,
): Promise<void> {
  const work = new WakeSignal()
  const jobs: Job[] = []
  const claimed = new Set<string>()
  const running = new Set<Promise<void>>()
  const ending = new AbortController()
  const failed = new AbortController()
  const all = AbortSignal.any([ended, failed.signal])
  /** How many messages in the server's last answer this agent already had, perhaps from an earlier run. */
  let held = 0

  const toServer = openServerQueue(journal, server, work.notifier, say)
  /** Gives waiting messages back to the server. Waits for those being sent, then stops the driver. */
  async function finish(): Promise<void> {
    ending.abort()
    await Promise.all([...jobs.splice(0).map((job) => giveBack(job, STOPPED)), ...running])
    await driver.stop()
    await toServer.tellLast()
  }

  function connected(): void {
    say('connected')
    const { sims, sendsMms = false, android } = driver
    // reports the SIM cards. If that fails, the next connection repeats it
    const state = { ...(sims?.length && { sims }), mms: sendsMms, android }
    server.call('/api/devices/heartbeat', state, all).catch(() => {})
    work.notify()
  }

  async function claimAll(): Promise<void> {
    try {
      while (await claim());
    } catch (error) {
      if (!isDisabledRefusal(error)) throw error
      say(error.message)
    }
    await work.wait(POLL_MS, all)
  }

  /** Asks for as many messages as the driver can take, and sends them. Returns whether there may be more. */
  async function claim(): Promise<boolean> {
    const { parallel } = driver
    const free = parallel - running.size - jobs.length
    if (free < Math.max(parallel / 2, 1)) return false
    const askedMs = performance.now()
    // the server first returns messages that this agent already has: ask for that many more
    const limit = Math.min(MAX_CLAIM, free + Math.max(held, parallel - free))
    const path = '/api/devices/claim'
    const answer = await server.call<{ items: Claimed[] }>(
      path,
      { limit, mms: driver.sendsMms },
      all,
    )
    const { items } = answer.body
    const fresh = items.filter((item) => !isKnown(item) && !claimed.has(makeAttemptKey(item)))
    held = items.length - fresh.length
    for (const item of fresh) {
      const ends = [item.lease_until, item.expires_at]
        .filter(Boolean)
        .map((date) => Date.parse(date))
      claimed.add(makeAttemptKey(item))
      jobs.push({ ...item, untilMs: askedMs + Math.min(...ends) - answer.serverTime - MARGIN_MS })
    }
    next()
    return fresh.length > 0 || (items.length === limit && limit < MAX_CLAIM)
  }

  /** Whether an attempt must not be sent, because an earlier run sent it or may have sent it. */
  const isKnown = ({ id, attempt }: Claimed) =>
    driver.isRepeatable ? journal.hasResult(id, attempt) : journal.hasBegun(id, attempt)

  /** Waits until the attempt can be stored, the lease ends or the agent stops. */
  async function begin(job: Job): Promise<Begun> {
    let begun = await journal.begin(job.id, job.attempt)
    if (begun === 'unstored')
      say('A text waits, because its attempt cannot be stored. Is the disk full?')
    while (begun === 'unstored' && performance.now() < job.untilMs && !ending.signal.aborted)
      begun = await journal.begin(job.id, job.attempt)
    if (!driver.isRepeatable) claimed.delete(makeAttemptKey(job))
    return begun
  }

  function next(): void {
    const { ready, parallel } = driver
    while ((ready || running.size < parallel) && !ending.signal.aborted) {
      const job = jobs.shift()
      if (!job) return
      const sending = send(job).finally(() => {
        running.delete(sending)
        claimed.delete(makeAttemptKey(job))
        next()
        work.notify()
      })
      running.add(sending)
    }
  }

  async function send(job: Job): Promise<void> {
    const { id, attempt, to, body, sim, attachments, subject, untilMs } = job
    const { signal } = ending
    if (attachments && !driver.sendsMms) return giveBack(job, 'This line cannot send MMS')
    // an earlier run, or an earlier try, may have sent it
    const wasBegun = journal.hasBegun(id, attempt)
    const isReady = (await driver.ready?.(untilMs, signal)) ?? performance.now() <= untilMs
    if (!isReady)
      return giveBack(
        job,
        signal.aborted ? STOPPED : driver.waitsFor || 'The device could not send in time',
      )
    const begun = await begin(job)
    if (begun === 'unstored')
      return wasBegun ? undefined : reportUnsent(job, 'The attempt could not be stored')
    if (begun === 'elsewhere' && !driver.isRepeatable) return
    const maySent = wasBegun || begun === 'elsewhere'
    const result = await driver.send({ id, attempt, to, body, sim, attachments, subject }, untilMs)
    if (result.outcome === 'again') {
      claimed.add(makeAttemptKey(job))
      if (!maySent) await journal.undo(id, attempt)
      return send(job)
    }
    say(`${result.outcome} to ${to}${result.outcome === 'failed' ? `: ${result.error}` : ''}`)
    const isUnsure = maySent && result.outcome !== 'sent'
    if (result.outcome !== 'unknown' && !isUnsure) reportResult(job, result)
  }

  /** Reports that a message never reached the radio. Another device can then send it. */
  async function giveBack(job: Job, error: string): Promise<void> {
    say(`given back, to ${job.to}: ${error}`)
    if (journal.hasBegun(job.id, job.attempt)) return
    if ((await journal.begin(job.id, job.attempt)) !== 'elsewhere') reportUnsent(job, error)
  }

  const reportUnsent = (job: Job, error: string) =>
    reportResult(job, { outcome: 'failed', error, notSent: true })

  function reportResult({ id, attempt }: Job, result: SendResult): void {
    const details =
      result.outcome === 'failed' ? { ...cutReason(result.error), not_sent: result.notSent } : {}
    const at = driver.now?.() ?? new Date()
    // a report that cannot be stored is told all the same, while the agent runs
    report(id, attempt, result.outcome, at, details).catch(() => {})
  }

  function report(
    id: string,
    attempt: number,
    status: string,
    at: Date,
    details: object,
  ): Promise<void> {
    return toServer.put({
      kind: 'report',
      item: { id, attempt, status, at: at.toISOString(), ...details },
    })
  }

  await driver.start({
    async delivered({ id, attempt, channel }, at, error = '') {
      for (const { status, ...details } of makeReceiptReports(error, channel))
        await report(id, attempt, status, at, details)
    },
    received: (text, at) => {
      const item = fitTextToServer(text, at)
      say(`received a text from ${item.from}`)
      return toServer.put({ kind: 'incoming', item })
    },
    typed: ({ to, ...text }, at) => {
      const { from, received_at, ...rest } = fitTextToServer({ from: to, ...text }, at)
      say(`found a text that was typed on the phone, to ${from}`)
      return toServer.put({ kind: 'typed', item: { to: from, sent_at: received_at, ...rest } })
    },
    roomGrew: work.notifier,
    fault: (text) => {
      say(text || 'The carrier accepts texts again')
      server.fault?.(text)
    },
    unknown: (names) =>
      say(`The carrier reported an unknown event with the fields ${names.join(', ')}`),
  })
  const heard = ({ event }: { readonly event?: string | undefined }) =>
    event === 'wake' && work.notify()
  const parts = [
    toServer.run(all),
    retryUntilEnded(claimAll, all),
    server.listen(connected, heard, all),
  ]
  try {
    await Promise.all(parts.map((part) => part.finally(() => failed.abort())))
  } finally {
    await Promise.allSettled(parts)
    await finish()
  }
}

const makeAttemptKey = ({ id, attempt }: Claimed) => `${id}.${attempt}`
