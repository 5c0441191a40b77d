import { parseJson } from '../../platform/tools/json.ts'
import { WakeSignal } from '../../platform/tools/repeat-work.ts'
import {
  type Claimed,
  explainUnsent,
  MAY_LEAVE,
  makeAttemptKey,
  openAttempts,
  type SendJob,
} from './begin-attempts.ts'
import type { Driver, SendResult } from './driver-interface.ts'
import { makeReceiptReports } from './receipt-reports.ts'
import type { Begun, Journal } from './send-journal.ts'
import { cutReason, fitTextToServer } from './server-limits.ts'
import {
  isDisabledRefusal,
  retryUntilEnded,
  type ServerEvent,
  type ServerLink,
} from './server-link.ts'
import { openServerQueue } from './server-queue.ts'

/** Interval of asking the server for messages, because its wake-up events can be lost. */
const POLL_MS = 30_000
/** Safety margin before the server's deadlines: answers show the server's clock only to the second. */
const MARGIN_MS = 2_000
/** The server's maximum of messages per request. */
const MAX_CLAIM = 100

/** Fetches, sends and reports messages until `ended`. Throws GatewayError, e.g. for an unknown device. */
export async function runDriver(
  server: ServerLink,
  driver: Driver,
  journal: Journal,
  say: (line: string) => void,
  ended: AbortSignal,
): Promise<void> {
  const work = new WakeSignal()
  const jobs: SendJob[] = []
  const underway = new Set<SendJob>()
  const claimed = new Set<string>()
  const running = new Set<Promise<void>>()
  const ending = new AbortController()
  const failed = new AbortController()
  const all = AbortSignal.any([ended, failed.signal])
  /** How many messages in the server's last answer this agent already had, perhaps from an earlier run. */
  let held = 0

  const explain = (job: SendJob) => explainUnsent(job, ending.signal.aborted, driver.waitsFor)
  const attempts = openAttempts(journal, say, ending.signal)
  const toServer = openServerQueue(journal, server, work.notifier, say)
  /** Gives waiting messages back to the server. Waits for those being sent, then stops the driver. */
  async function finish(): Promise<void> {
    ending.abort()
    await Promise.all([...jobs.splice(0).map((job) => giveBack(job, explain(job))), ...running])
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
      const untilMs = askedMs + Math.min(...ends) - answer.serverTime - MARGIN_MS
      jobs.push({ ...item, askedMs, untilMs, recall: new AbortController() })
    }
    next()
    return fresh.length > 0 || (items.length === limit && limit < MAX_CLAIM)
  }

  /** Whether an attempt must not be sent, because an earlier run sent it or may have sent it. */
  const isKnown = ({ id, attempt }: Claimed) =>
    journal.hasResult(id, attempt) || (!driver.isRepeatable && journal.hasBegun(id, attempt))

  function discard({ id, attempt }: Readonly<Partial<Pick<Claimed, 'id' | 'attempt'>>>): void {
    const isNamed = (job: SendJob) => job.id === id && job.attempt === (attempt ?? job.attempt)
    for (const job of underway) if (isNamed(job)) job.recall.abort()
    const i = jobs.findIndex(isNamed)
    if (i < 0) return
    const [job] = jobs.splice(i, 1)
    run(giveBack(job!, explain(job!)), job!)
  }

  function next(): void {
    const { ready, parallel } = driver
    while ((ready || running.size < parallel) && !ending.signal.aborted) {
      const job = jobs.shift()
      if (!job) return
      underway.add(job)
      run(send(job), job)
    }
  }

  /** Counts the work on a message as one that the driver sends, until it ends. */
  function run(sent: Promise<void>, job: SendJob): void {
    const sending = sent.finally(() => {
      running.delete(sending)
      underway.delete(job)
      claimed.delete(makeAttemptKey(job))
      next()
      work.notify()
    })
    running.add(sending)
  }

  async function send(job: SendJob): Promise<void> {
    const { id, attempt, to, body, sim, attachments, subject, untilMs, recall } = job
    const signal = AbortSignal.any([ending.signal, recall.signal])
    if (attachments && !driver.sendsMms) return giveBack(job, 'This line cannot send MMS')
    // an earlier run, or an earlier try, may have sent it
    const wasBegun = journal.hasBegun(id, attempt)
    const isReady = (await driver.ready?.(untilMs, signal)) ?? performance.now() <= untilMs
    if (!isReady) return giveBack(job, explain(job))
    const begun = await attempts.begin(job)
    const isElsewhere = begun === 'elsewhere' || begun === 'over'
    const maySent = wasBegun || isElsewhere
    const isLate = performance.now() > untilMs
    if (
      !MAY_LEAVE.has(begun) ||
      isLate ||
      signal.aborted ||
      (isElsewhere && !driver.isRepeatable)
    ) {
      driver.skip?.()
      return maySent ? undefined : reportUnsent(job, begun, explain(job))
    }
    const result = await driver.send(
      { id, attempt, to, body, sim, attachments, subject },
      untilMs,
      { signal: recall.signal, mayLeaveAfter: (ms) => attempts.mayLeaveAfter(job, ms) },
    )
    if (result.outcome === 'again') {
      if (!maySent) await journal.undo(id, attempt)
      return send(job)
    }
    say(`${result.outcome} to ${to}${result.outcome === 'failed' ? `: ${result.error}` : ''}`)
    const isUnsure = maySent && result.outcome !== 'sent'
    if (result.outcome !== 'unknown' && !isUnsure) reportResult(job, result)
  }

  /** Reports that a message never reached the radio. Another device can then send it. */
  async function giveBack(job: SendJob, error: string): Promise<void> {
    if (journal.hasBegun(job.id, job.attempt)) return
    await reportUnsent(job, await journal.begin(job.id, job.attempt), error)
  }

  /** Reports that this process did not send a message, unless another one may have. */
  async function reportUnsent(job: SendJob, begun: Begun, error: string): Promise<void> {
    if (!(await attempts.isOwn(job, begun))) return
    say(`given back, to ${job.to}: ${error}`)
    reportResult(job, { outcome: 'failed', error, notSent: true })
  }

  function reportResult({ id, attempt }: SendJob, result: SendResult): void {
    const details =
      result.outcome === 'failed' ? { ...cutReason(result.error), not_sent: result.notSent } : {}
    const at = driver.now?.() ?? new Date()
    // a report that cannot be stored is still sent while the agent runs
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
  const heard = ({ event, data = '' }: ServerEvent) => {
    if (event === 'wake') work.notify()
    if (event === 'canceled') discard(Object(parseJson(data)))
  }
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
