import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo, Server, Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import smpp from 'smpp'
import { expect, onTestFinished } from 'vitest'
import type {
  Driver,
  IncomingText,
  OutgoingText,
  Recall,
} from '../../../src/programs/agent/driver-interface.ts'
import { makeSmppDriver } from '../../../src/programs/agent/drivers/smpp/driver.ts'
import type { Pdu } from '../../../src/programs/agent/drivers/smpp/library.ts'
import { readSmppSettings } from '../../../src/programs/agent/drivers/smpp/smpp-settings.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

/** What a carrier answers to a submit_sm: fields of the answer, or nothing at all. */
type Answer = { readonly message_id?: string; readonly command_status?: number } | undefined

interface Session {
  readonly socket: Socket
  send(pdu: Pdu, answered?: (answer: Pdu) => void): boolean
  on(event: 'pdu', heard: (pdu: Pdu) => void): void
  on(event: 'error' | 'close', heard: () => void): void
}

/** A carrier in this process, of the library's server side. Its fields are as on the wire. */
export class Smsc {
  /** Each submit_sm, in the order in which they came. */
  readonly submitted: Pdu[] = []
  readonly bound: Pdu[] = []
  /** The answer to a submit_sm, and to a bind. */
  answer: (pdu: Pdu) => Answer = () => ({ message_id: String(this.submitted.length) })
  bindStatus = 0
  readonly #server: Server
  readonly #sessions = new Set<Session>()

  constructor() {
    this.#server = smpp.createServer((session: Session) => {
      this.#sessions.add(session)
      session.on('error', () => {})
      session.on('close', () => this.#sessions.delete(session))
      session.on('pdu', (pdu) => {
        if (pdu.isResponse()) return
        if (pdu.command === 'submit_sm') this.submitted.push(pdu)
        if (pdu.command.startsWith('bind')) this.bound.push(pdu)
        const status = pdu.command.startsWith('bind') ? { command_status: this.bindStatus } : {}
        const answer = pdu.command === 'submit_sm' ? this.answer(pdu) : status
        if (answer) session.send(pdu.response(answer))
      })
    })
  }

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Sends a request to the client. Resolves with its answer. */
  request(command: string, fields: object = {}): Promise<Pdu> {
    const [session] = this.#sessions
    return new Promise((resolve) => session!.send(new smpp.PDU(command, fields), resolve))
  }

  /** Hands a message to the client. Resolves with the status of its answer. */
  async deliver(fields: object): Promise<number> {
    return (await this.request('deliver_sm', { data_coding: 0, ...fields })).command_status
  }

  /** Answers a submit_sm that `answer` did not. */
  reply(pdu: Pdu, fields: object): void {
    const [session] = this.#sessions
    session!.send(pdu.response(fields))
  }

  /** Writes a request as it is. Resolves with its answer. */
  raw(bytes: Buffer): Promise<Pdu> {
    const [session] = this.#sessions
    this.write(bytes)
    return new Promise((resolve) => session!.on('pdu', (pdu) => pdu.isResponse() && resolve(pdu)))
  }

  /** Writes bytes as they are. */
  write(bytes: Buffer): void {
    for (const { socket } of this.#sessions) socket.write(bytes)
  }

  /** Writes bytes as they are, and ends the links. */
  end(bytes: Buffer): void {
    for (const { socket } of this.#sessions) socket.end(bytes)
  }

  cut(): void {
    for (const { socket } of this.#sessions) socket.destroy()
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A carrier and an agent's driver that may be opened several times, one after the other. */
export async function setUp(more: object = {}) {
  const smsc = new Smsc()
  const port = await smsc.start()
  const file = join(temporaryFolder(), 'agent')
  const account = { host: '127.0.0.1', port, system_id: 'acme', password: 'secret' }
  const senders = ['+4930123', 'Acme']
  writeFileSync(`${file}.json`, JSON.stringify({ ...account, senders, rate: 1000, ...more }))
  const settings = readSmppSettings(`${file}.json`, {})
  const received: IncomingText[] = []
  const instants = new Set<number>()
  const inStore = { now: 0, most: 0 }
  const delivered: string[] = []
  let driver: Driver | undefined
  const close = async () => {
    await driver?.stop()
    driver = undefined
  }
  const open = async () => {
    await close()
    driver = makeSmppDriver(settings, file)
    await driver.start({
      received: async (text, at) => {
        inStore.most = Math.max(inStore.most, ++inStore.now)
        await nextTurn()
        inStore.now--
        received.push(text)
        instants.add(at.getTime())
      },
      delivered: async ({ id }, _, error) => void delivered.push(`${id} ${error || 'delivered'}`),
      roomGrew() {},
    })
    await expect.poll(() => driver?.parallel).toBeGreaterThan(0)
  }
  onTestFinished(async () => {
    await close()
    await smsc.stop()
  })
  const send = async (
    text: Partial<OutgoingText> = {},
    untilMs = performance.now() + 60_000,
    recall?: Recall,
  ) => {
    const whole = { id: 'a', attempt: 1, to: '+4915112345678', body: 'Hello', sim: 1, ...text }
    while (await driver!.ready!(untilMs, new AbortController().signal)) {
      const result = await driver!.send(whole, untilMs, recall)
      if (result.outcome !== 'again') return result
    }
    return 'no turn'
  }
  await open()
  return { smsc, file, inStore, settings, received, instants, delivered, open, send }
}
