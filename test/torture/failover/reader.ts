import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerCounts, type Senders } from '../senders.ts'

const PAUSE_MS = 100
const ANSWER_MS = 45_000

/**
 * Reads at one server what was acknowledged last, whichever server did: 404 for what is lost, or for a server
 * that reads from a primary of the past.
 */
export class Reader {
  readonly answers = new AnswerCounts()
  readonly #running: Promise<void>
  #isOver = false

  constructor(url: string, token: string, senders: Senders) {
    this.#running = this.#read(url, token, senders)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #read(url: string, token: string, { acknowledged }: Senders): Promise<void> {
    while (!this.#isOver) {
      await sleep(PAUSE_MS)
      const id = acknowledged.at(-1)?.ids[0]
      if (!id) continue
      const options = { headers: { authorization: token }, signal: AbortSignal.timeout(ANSWER_MS) }
      const path = `/api/collections/sms_messages/records/${id}`
      const answer = await fetch(url + path, options).catch(() => undefined)
      await answer?.arrayBuffer()
      this.answers.add(answer)
    }
  }
}
