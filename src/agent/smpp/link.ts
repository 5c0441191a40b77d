import { setTimeout as sleep } from 'node:timers/promises'
import type { Pdu } from './library.ts'
import { bindsOf, type Deliver, Session } from './session.ts'
import type { Settings } from './settings.ts'

/** Pauses before reopening a session double from the first to the longest. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Maximum wait of a stop for a session that is being opened. */
const LONGEST_STOP_MS = 1_000
/** Interval of granting turns: those granted together share a sync of the journal. */
const TICK_MS = 20
/** ESME_RMSGQFUL and ESME_RTHROTTLED. */
const TOO_FAST = new Set([0x14, 0x58])
/** Interval of adjusting the rate, and the wait of a text that was sent too fast. */
const ADJUST_MS = 1_000
/** An adjustment cuts the rate at most by half, and adds a share of the full rate. */
const LEAST_KEPT = 0.5
const GROWTH = 1 / 40

interface Waiting {
  readonly untilMs: number
  readonly ended: AbortSignal | undefined
  settle(isGiven: boolean): void
}

/** All sessions of an account: keeps them open and submits at the carrier's pace. */
export class Link {
  readonly #settings: Settings
  readonly #ended = new AbortController()
  readonly #sessions = new Set<Session>()
  readonly #senders = new Set<Session>()
  readonly #loops: readonly Promise<void>[]
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  /** Turns granted and not ended. */
  #turns = 0
  #rate: number
  /** Turns that the rate allows now. */
  #tokens = 1
  #filledMs = performance.now()
  /** Answers since the last adjustment, and how many said "too fast". */
  #answers = 0
  #refusals = 0
  #adjustedMs = performance.now()

  /** @param deliver see Session. @param opened called when a session can send. */
  constructor(settings: Settings, deliver: Deliver, opened: () => void) {
    this.#settings = settings
    this.#rate = settings.rate
    const keepOpen = async (bind: ReturnType<typeof bindsOf>[number]) => {
      const { signal } = this.#ended
      for (let tries = 0; !signal.aborted; tries++) {
        try {
          const session = await Session.open(settings, bind, deliver)
          say(`${bind} is open`)
          tries = 0
          this.#sessions.add(session)
          if (bind !== 'bind_receiver') this.#senders.add(session)
          opened()
          if (signal.aborted) await session.close()
          await session.closed
          this.#sessions.delete(session)
          this.#senders.delete(session)
          say(`${bind} has ended`)
        } catch (error) {
          say(`${bind} failed: ${(error as Error).message}`)
        }
        const longest = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS)
        await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {}) // ended
      }
    }
    const binds = Array.from({ length: settings.sessions }, () => bindsOf(settings)).flat()
    this.#loops = binds.map(keepOpen)
  }

  /** Current turns per second; 0 while no session can send. */
  get rate(): number {
    return this.#usable().length > 0 ? this.#rate : 0
  }

  #usable(): Session[] {
    return [...this.#senders].filter(({ isWritable }) => isWritable)
  }

  /** Waits for a turn to submit; `isFirst`: before all others. False if `untilMs` or `ended` comes first. */
  turn(untilMs: number, isFirst: boolean, ended?: AbortSignal): Promise<boolean> {
    return new Promise((settle) => {
      this.#waiting[isFirst ? 'unshift' : 'push']({ untilMs, ended, settle })
      if (!this.#timer) this.#giveTurns()
    })
  }

  #giveTurns(): void {
    clearTimeout(this.#timer)
    const nowMs = this.#refill()
    const window = this.#usable().length * this.#settings.window
    this.#waiting = this.#waiting.filter(({ untilMs, ended, settle }) => {
      const isLate = nowMs > untilMs || ended?.aborted === true
      const isGiven = !isLate && this.#tokens >= 1 && this.#turns < window
      if (isGiven) {
        this.#tokens--
        this.#turns++
      }
      if (isLate || isGiven) settle(isGiven)
      return !isLate && !isGiven
    })
    this.#timer = this.#waiting.length > 0 ? setTimeout(() => this.#giveTurns(), TICK_MS) : undefined
  }

  endTurn(): void {
    this.#turns--
    if (this.#waiting.length > 0) this.#giveTurns()
  }

  /** Adds turns by the time passed. Returns the time. */
  #refill(): number {
    const nowMs = performance.now()
    const seconds = (nowMs - this.#filledMs) / 1000
    this.#filledMs = nowMs
    this.#tokens = Math.min(Math.max(1, this.#rate / 10), this.#tokens + this.#rate * seconds)
    if (nowMs - this.#adjustedMs >= ADJUST_MS) this.#adjust(nowMs)
    return nowMs
  }

  /** Sets the rate to the accepted part of it plus a little. */
  #adjust(nowMs: number): void {
    const taken = 1 - this.#refusals / Math.max(this.#answers, 1)
    const { rate } = this.#settings
    const more = (rate * GROWTH * (nowMs - this.#adjustedMs)) / 1000
    this.#rate = Math.min(rate, this.#rate * Math.max(taken, LEAST_KEPT) + more)
    if (this.#refusals > 0) say(`the carrier wants fewer: ${this.#rate.toFixed(1)} a second`)
    this.#answers = 0
    this.#refusals = 0
    this.#adjustedMs = nowMs
  }

  /**
   * Submits a message and ends the turn. Undefined: no answer. `again`: the carrier certainly did not accept
   * it, since it was too fast or the connection was lost before. `late` gets a late answer.
   */
  async submit(fields: object, late: (answer: Pdu) => void): Promise<Pdu | undefined | 'again'> {
    try {
      const [session] = this.#usable().sort((a, b) => a.load - b.load)
      if (!session) return 'again'
      const answer = await session.request('submit_sm', fields, late)
      this.#answers++
      if (!answer || !TOO_FAST.has(answer.command_status)) return answer
      this.#refusals++
    } finally {
      this.endTurn()
    }
    await sleep(ADJUST_MS)
    return 'again'
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    await Promise.all([...this.#sessions].map((session) => session.close()))
    await Promise.race([Promise.all(this.#loops), sleep(LONGEST_STOP_MS)])
  }
}

const say = (line: string) => void process.stderr.write(`SMPP: ${line}\n`)
