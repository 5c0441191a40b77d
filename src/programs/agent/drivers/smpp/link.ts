import { setTimeout as sleep } from 'node:timers/promises'
import type { Pdu } from './library.ts'
import { type DeliverPdu, listBinds, openSmppSession, type SmppSession } from './session.ts'
import type { SmppSettings } from './smpp-settings.ts'

/** The pause before reopening a session doubles from FIRST_PAUSE_MS to LONGEST_PAUSE_MS. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** How long `stop` waits for sessions that are being opened. */
const LONGEST_STOP_MS = 1_000
/** Texts that must wait are submitted in groups at this interval. A group shares one sync of the journal. */
const TICK_MS = 20
/** ESME_RMSGQFUL and ESME_RTHROTTLED: the carrier gets texts too fast. */
const TOO_FAST = new Set([0x14, 0x58])
/** Interval of adjusting the rate. A text that the carrier refuses as too fast waits this long, too. */
const ADJUST_MS = 1_000
/** An adjustment multiplies the rate by at least this. GROWTH: part of the full rate added per second. */
const LEAST_KEPT = 0.5
const GROWTH = 1 / 40

interface Waiting {
  readonly untilMs: number
  readonly ended: AbortSignal | undefined
  settle(isGiven: boolean): void
}

export type SmppLink = ReturnType<typeof openSmppLink>

/** Opens all sessions of an account, and submits at the carrier's pace. Each open session calls `opened`. */
export function openSmppLink(settings: SmppSettings, deliver: DeliverPdu, opened: () => void) {
  const ending = new AbortController()
  const sessions = new Set<SmppSession>()
  const senders = new Set<SmppSession>()
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  /** Turns (permissions to submit) that were granted and have not ended. */
  let turns = 0
  /** Messages that may be submitted per second. */
  let { rate } = settings
  /** Messages that the rate allows to submit now. */
  let tokens = 1
  let filledMs = performance.now()
  /** The carrier's answers since the rate was last adjusted. `refusals`: how many of them said "too fast". */
  let answers = 0
  let refusals = 0
  let adjustedMs = performance.now()

  const keepOpen = async (bind: ReturnType<typeof listBinds>[number]) => {
    const { signal } = ending
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const session = await openSmppSession(settings, bind, deliver)
        printLine(`${bind} is open`)
        tries = 0
        sessions.add(session)
        if (bind !== 'bind_receiver') senders.add(session)
        opened()
        if (signal.aborted) await session.close()
        await session.closed
        sessions.delete(session)
        senders.delete(session)
        printLine(`${bind} has ended`)
      } catch (error) {
        printLine(`${bind} failed: ${(error as Error).message}`)
      }
      const longest = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS)
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {}) // ended
    }
  }
  const loops = Array.from({ length: settings.sessions }, () => listBinds(settings))
    .flat()
    .map(keepOpen)

  function usable(): SmppSession[] {
    return [...senders].filter((session) => session.isWritable())
  }

  /** Waits until a message may be submitted. False after `untilMs` or `ended`. `isFirst`: before others. */
  function turn(untilMs: number, isFirst: boolean, ended?: AbortSignal): Promise<boolean> {
    return new Promise((settle) => {
      waiting[isFirst ? 'unshift' : 'push']({ untilMs, ended, settle })
      if (!timer) giveTurns()
    })
  }

  function giveTurns(): void {
    clearTimeout(timer)
    const nowMs = refill()
    const window = usable().length * settings.window
    waiting = waiting.filter(({ untilMs, ended, settle }) => {
      const isLate = nowMs > untilMs || ended?.aborted === true
      const isGiven = !isLate && tokens >= 1 && turns < window
      if (isGiven) {
        tokens--
        turns++
      }
      if (isLate || isGiven) settle(isGiven)
      return !isLate && !isGiven
    })
    timer = waiting.length > 0 ? setTimeout(giveTurns, TICK_MS) : undefined
  }

  function endTurn(): void {
    turns--
    if (waiting.length > 0) giveTurns()
  }

  /** Adds to `tokens` what the rate allows for the time since the last call. Returns the current time. */
  function refill(): number {
    const nowMs = performance.now()
    const seconds = (nowMs - filledMs) / 1000
    filledMs = nowMs
    tokens = Math.min(Math.max(1, rate / 10), tokens + rate * seconds)
    if (nowMs - adjustedMs >= ADJUST_MS) adjust(nowMs)
    return nowMs
  }

  /** Multiplies the rate by the share of messages that the carrier accepted, and adds a little. */
  function adjust(nowMs: number): void {
    const taken = 1 - refusals / Math.max(answers, 1)
    const more = (settings.rate * GROWTH * (nowMs - adjustedMs)) / 1000
    rate = Math.min(settings.rate, rate * Math.max(taken, LEAST_KEPT) + more)
    if (refusals > 0) printLine(`the carrier wants fewer: ${rate.toFixed(1)} a second`)
    answers = 0
    refusals = 0
    adjustedMs = nowMs
  }

  /**
   * Submits a message, then lets the next one begin. Returns undefined if there is no answer; `again` if no
   * session could send it, or if the carrier refused it as too fast.
   */
  async function submit(
    fields: object,
    late: (answer: Pdu) => void,
  ): Promise<Pdu | undefined | 'again'> {
    try {
      const [session] = usable().sort((a, b) => a.load() - b.load())
      if (!session) return 'again'
      const answer = await session.request('submit_sm', fields, late)
      answers++
      if (!answer || !TOO_FAST.has(answer.command_status)) return answer
      refusals++
    } finally {
      endTurn()
    }
    await sleep(ADJUST_MS)
    return 'again'
  }

  async function stop(): Promise<void> {
    ending.abort()
    await Promise.all([...sessions].map((session) => session.close()))
    await Promise.race([Promise.all(loops), sleep(LONGEST_STOP_MS)])
  }

  return {
    /** Messages that may be submitted per second now; 0 while no session can send. */
    rate: () => (usable().length > 0 ? rate : 0),
    turn,
    endTurn,
    submit,
    stop,
  }
}

const printLine = (line: string) => void process.stderr.write(`SMPP: ${line}\n`)
