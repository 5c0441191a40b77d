import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { UserError } from '../../errors.ts'
import { type LibrarySession, makePdu, openSession, type Pdu, statusName } from './library.ts'
import type { Settings } from './settings.ts'

/** The bind's type; also the name of its request. */
type Bind = 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver'
/** Stores an incoming text or receipt; the carrier repeats it after a failure. */
export type Deliver = (pdu: Pdu) => Promise<void>

const CONNECT_MS = 15_000
const UNBIND_MS = 2_000
const VERSION = 0x34
/** Requests of the carrier that get an answer, besides unbind. `unknown` gets a generic_nack. */
const ANSWERED = new Set(['deliver_sm', 'data_sm', 'enquire_link', 'unknown'])
/** ESME_RX_T_APPN: a temporary error of the receiver. ESME_RINVCMDLEN. */
const TRY_AGAIN = 0x64
const WRONG_LENGTH = 0x02
/** Maximum unanswered requests of the carrier; further ones are read later. */
const MAX_ANSWERING = 100
/** Maximum requests to remember for late answers. */
const MAX_LATE = 10_000

/** The binds that an account needs. */
export const bindsOf = ({ bind }: Settings): readonly Bind[] =>
  bind === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver']

/** A bound connection to the carrier. */
export class Session {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  /** Unanswered requests by sequence number. The library's own callbacks would wait for ever. */
  readonly #open = new Map<number, (answer?: Pdu) => void>()
  /** Timed-out requests whose late answers are still useful. */
  readonly #late = new Map<number, (answer: Pdu) => void>()
  /** The carrier's unanswered requests, except an unbind. */
  #answering = 0
  #unbind: Pdu | undefined
  readonly #session: LibrarySession
  readonly #answerMs: number

  private constructor(socket: Socket, answerMs: number, deliver: Deliver) {
    this.#answerMs = answerMs
    this.#session = openSession(socket)
    // the library stops reading after an unreadable message
    this.#session.on('error', () => this.#session.destroy())
    this.#session.on('pdu', (pdu: Pdu) => {
      if (pdu.isResponse()) this.#answered(pdu)
      else if (pdu.command === 'unbind') this.#end(pdu)
      else if (ANSWERED.has(pdu.command)) void this.#answer(pdu, deliver)
    })
    socket.on('drain', () => this.#pace())
    this.closed = new Promise((resolve) => this.#session.on('close', resolve))
    void this.closed.then(() => {
      for (const settle of this.#open.values()) settle()
    })
  }

  /** Connects and binds. Throws an error that names the failed step. */
  static async open(settings: Settings, bind: Bind, deliver: Deliver): Promise<Session> {
    const { system_id, password, system_type, answer_seconds, enquire_link_seconds } = settings
    const session = new Session(await connect(settings), answer_seconds * 1000, deliver)
    const fields = { system_id, password, system_type, interface_version: VERSION }
    const answer = await session.request(bind, fields)
    if (answer?.command_status !== 0) {
      session.#session.destroy()
      throw new Error(answer ? statusName(answer.command_status) : 'no answer')
    }
    const timer = setInterval(() => void session.#enquire(), enquire_link_seconds * 1000)
    void session.closed.then(() => clearInterval(timer))
    return session
  }

  /** How many requests are unanswered. */
  get load(): number {
    return this.#open.size
  }

  /** Whether requests can be sent: not after the carrier's unbind. */
  get isWritable(): boolean {
    return !this.#unbind && this.#session.socket.writable
  }

  /**
   * Sends a request. Resolves with undefined without an answer: the carrier may have executed it. `late` gets
   * an answer that comes after that.
   */
  request(
    command: string,
    fields = {},
    late?: (answer: Pdu) => void,
    timeoutMs = this.#answerMs,
  ): Promise<Pdu | undefined> {
    const pdu = makePdu(command, fields)
    if (!this.#session.send(pdu)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer?: Pdu) => {
        clearTimeout(timer)
        this.#open.delete(pdu.sequence_number)
        resolve(answer)
        this.#leave()
      }
      const giveUp = () => {
        if (late) this.#late.set(pdu.sequence_number, late)
        if (this.#late.size > MAX_LATE) this.#late.delete(this.#late.keys().next().value!)
        settle()
      }
      const timer = setTimeout(giveUp, timeoutMs)
      this.#open.set(pdu.sequence_number, settle)
    })
  }

  #answered(pdu: Pdu): void {
    const { sequence_number } = pdu
    const late = this.#late.get(sequence_number)
    this.#late.delete(sequence_number)
    const take = this.#open.get(sequence_number) ?? late
    take?.(pdu)
  }

  async #answer(pdu: Pdu, deliver: Deliver): Promise<void> {
    let fields = {}
    this.#answering++
    this.#pace()
    try {
      if (pdu.isCutOff) fields = { command_status: WRONG_LENGTH }
      else if (pdu.command === 'deliver_sm' || pdu.command === 'data_sm') await deliver(pdu)
    } catch (error) {
      process.stderr.write(`SMPP: what came in could not be stored: ${error}\n`)
      fields = { command_status: TRY_AGAIN }
    }
    this.#answering--
    this.#session.send(pdu.response(fields))
    this.#pace()
    this.#leave()
  }

  /** Stops reading while too many requests are unanswered, or the carrier does not read answers. */
  #pace(): void {
    if (this.#answering >= MAX_ANSWERING || this.#session.socket.writableNeedDrain) this.#session.pause()
    else this.#session.resume()
  }

  #end(unbind: Pdu): void {
    this.#unbind = unbind
    this.#leave()
  }

  /** Answers an unbind when nothing else is unanswered. */
  #leave(): void {
    if (!this.#unbind || this.#open.size > 0 || this.#answering > 0) return
    this.#session.send(this.#unbind.response({}))
    this.#session.socket.destroySoon()
  }

  async #enquire(): Promise<void> {
    if (this.isWritable && !(await this.request('enquire_link'))) this.#session.destroy()
  }

  async close(): Promise<void> {
    await this.request('unbind', {}, undefined, UNBIND_MS)
    this.#session.destroy()
  }
}

async function connect({ host, port, tls, ca }: Settings): Promise<Socket> {
  const name = isIP(host) ? {} : { servername: host } // servers with several names need SNI
  const socket = tls ? connectTls({ host, port, ...name, ...(ca && { ca }) }) : connectTcp({ host, port })
  try {
    const signal = AbortSignal.timeout(CONNECT_MS)
    await once(socket, tls ? 'secureConnect' : 'connect', { signal })
    return socket.setNoDelay(true)
  } catch (error) {
    socket.destroy()
    // the message is empty if several addresses were tried
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(message || code)
  }
}

/** Binds and unbinds once. Throws a UserError that says what the carrier answered. */
export async function checkCarrier(settings: Settings, say: (line: string) => void): Promise<void> {
  const { host, port, system_id } = settings
  for (const bind of bindsOf(settings)) {
    const what = `${bind} as ${system_id} at ${host}:${port}`
    const refuse = () => Promise.reject(new Error('only a check'))
    const session = await Session.open(settings, bind, refuse).catch((error: Error) => {
      throw new UserError(`${what}: ${error.message}`)
    })
    await session.close()
    say(`${what}: ${statusName(0)}`)
  }
}
