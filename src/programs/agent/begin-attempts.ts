import { setTimeout as sleep } from 'node:timers/promises'
import type { OutgoingText } from './driver-interface.ts'
import type { Begun, Journal } from './send-journal.ts'

/** A message that the server gave this device to send. Dates are in PocketBase's format. */
export interface Claimed extends OutgoingText {
  readonly expires_at: string
  readonly lease_until: string
}

/**
 * A message to send. `askedMs`: when the server was asked for it; `untilMs`: deadline for handing it to the
 * radio (monotonic clock). `recall`: aborted when the server wants it back.
 */
export interface SendJob extends Claimed {
  readonly askedMs: number
  readonly untilMs: number
  readonly recall: AbortController
}

/** After this time, the answer to a claim no longer says whether a text may leave. */
const ASKED_MS = 1_000
/** An answer to `begin` that took longer is asked for again: the text may have been canceled meanwhile. */
const FRESH_MS = 2_000

export const makeAttemptKey = ({ id, attempt }: Claimed) => `${id}.${attempt}`

/** Answers of `begin` after which a message may be sent. */
export const MAY_LEAVE: ReadonlySet<Begun> = new Set(['here', 'elsewhere'])

export const STOPPED = 'The agent was stopped'

/** Why a message is given back that was not sent. `waitsFor`: the driver's reason. */
export function explainUnsent(
  { recall, untilMs }: SendJob,
  isEnding: boolean,
  waitsFor = '',
): string {
  if (isEnding) return STOPPED
  if (recall.signal.aborted || performance.now() <= untilMs) return 'The server wanted it back'
  return waitsFor || 'The device could not send in time'
}

/** Begins attempts in a journal, and asks it whether messages may leave. `ending`: the agent stops. */
export function openAttempts(journal: Journal, say: (line: string) => void, ending: AbortSignal) {
  /** Waits until the attempt can be stored, the lease ends or the agent stops. */
  async function begin(job: SendJob): Promise<Begun> {
    const mayWait = () => performance.now() < job.untilMs && !ending.aborted
    for (let tries = 0; ; tries++) {
      const askedMs = performance.now()
      const isFresh = askedMs - job.askedMs < ASKED_MS
      const begun = await journal.begin(job.id, job.attempt, isFresh)
      const isOld = journal.isShared && performance.now() - askedMs > FRESH_MS
      if (begun === 'unstored' && tries === 0)
        say('A text waits, because its attempt cannot be stored. Is the disk full?')
      if ((begun !== 'unstored' && !isOld) || !mayWait()) return begun
    }
  }

  async function mayLeaveAfter(job: SendJob, ms: number): Promise<boolean> {
    const signal = AbortSignal.any([ending, job.recall.signal])
    const isWanted = () => performance.now() <= job.untilMs && !signal.aborted
    await sleep(ms, undefined, { signal }).catch(() => {}) // aborted
    if (!journal.isShared || !isWanted()) return isWanted()
    return MAY_LEAVE.has(await begin(job)) && isWanted()
  }

  /**
   * Whether this process may report that it did not send a message. If another one may begin the attempt,
   * this process must have begun it before: it tries until that is stored, or the agent stops.
   */
  async function isOwn({ id, attempt }: SendJob, known: Begun): Promise<boolean> {
    let begun = known
    while (begun === 'unstored' && journal.isShared) {
      if (ending.aborted) return false
      begun = await journal.begin(id, attempt)
    }
    return begun !== 'elsewhere' && begun !== 'over'
  }

  return { begin, mayLeaveAfter, isOwn }
}
