import { type EventEmitter, once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import smpp from 'smpp'
import { UserError } from '../../errors.ts'
import type { Settings } from './settings.ts'

/** A message of SMPP; fields as on the wire. */
export interface Pdu {
  readonly command: string
  readonly command_status: number
  readonly sequence_number: number
  readonly [field: string]: unknown
  isResponse(): boolean
  response(fields: object): Pdu
}
interface LibrarySession extends EventEmitter {
  readonly socket: Socket
  /** False if nothing was written. */
  send(pdu: Pdu): boolean
  destroy(): void
}
interface Field {
  filter?: unknown
}
/** Also the name of the request. */
type Bind = 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver'
/** Stores a text or receipt that came in: the carrier repeats it after a failure. */
type Deliver = (pdu: Pdu) => Promise<void>

const CONNECT_MS = 15_000
const UNBIND_MS = 2_000
const VERSION = 0x34
/** The carrier's requests that get an answer: `unknown` is a generic_nack. */
const ANSWERED = new Set(['deliver_sm', 'data_sm', 'enquire_link', 'unbind', 'unknown'])
/** ESME_RX_T_APPN: a temporary error of the receiver. */
const TRY_AGAIN = 0x64

// The library's filters lose bytes and fail on odd dates.
for (const { params = {} } of Object.values<{ params?: Record<string, Field> }>(smpp.commands))
  for (const param of Object.values(params)) delete param.filter
for (const tlv of Object.values<Field>(smpp.tlvs)) delete tlv.filter
// Some carriers leave out the final zero, and the library would read on.
smpp.tlvs.receipted_message_id.type = smpp.types.tlv.string
// A message_payload has up to 64 KiB.
smpp.PDU.maxLength = 128 << 10

/** GSM 03.38, a byte for each septet. */
export const gsm: {
  match(text: string): boolean
  encode(text: string): Buffer
  decode(bytes: Buffer): string
} = smpp.encodings.ASCII

/** Name and code of a status, as `ESME_RBINDFAIL (0x0d)`. */
export function statusName(code: number): string {
  const [name = 'Status'] = Object.entries(smpp.errors).find(([, each]) => each === code) ?? []
  return `${name} (0x${code.toString(16).padStart(2, '0')})`
}

/** The binds that an account needs. */
export const bindsOf = ({ bind }: Settings): readonly Bind[] =>
  bind === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver']

/** A bound connection to the carrier. */
export class Session {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  /** Unanswered requests by sequence number. The library's own callbacks would wait for ever. */
  readonly #open = new Map<number, (answer?: Pdu) => void>()
  readonly #session: LibrarySession
  readonly #answerMs: number

  private constructor(socket: Socket, answerMs: number, deliver: Deliver) {
    this.#answerMs = answerMs
    this.#session = new smpp.Session({ socket })
    // after an unreadable message the library reads no further
    this.#session.on('error', () => this.#session.destroy())
    this.#session.on('pdu', (pdu: Pdu) => {
      if (pdu.isResponse()) this.#open.get(pdu.sequence_number)?.(pdu)
      else if (ANSWERED.has(pdu.command)) void this.#answer(pdu, deliver)
    })
    this.closed = new Promise((resolve) => this.#session.on('close', resolve))
    void this.closed.then(() => {
      for (const settle of this.#open.values()) settle()
    })
  }

  /** Connects and binds. Throws an error that says what failed. */
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

  get isWritable(): boolean {
    return this.#session.socket.writable
  }

  /** Resolves with undefined when no answer came: the carrier may have done it. */
  request(command: string, fields = {}, timeoutMs = this.#answerMs): Promise<Pdu | undefined> {
    const pdu = new smpp.PDU(command, fields)
    if (!this.#session.send(pdu)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer?: Pdu) => {
        clearTimeout(timer)
        this.#open.delete(pdu.sequence_number)
        resolve(answer)
      }
      const timer = setTimeout(settle, timeoutMs)
      this.#open.set(pdu.sequence_number, settle)
    })
  }

  async #answer(pdu: Pdu, deliver: Deliver): Promise<void> {
    let fields = {}
    try {
      if (pdu.command === 'deliver_sm' || pdu.command === 'data_sm') await deliver(pdu)
    } catch (error) {
      process.stderr.write(`SMPP: what came in could not be stored: ${error}\n`)
      fields = { command_status: TRY_AGAIN }
    }
    this.#session.send(pdu.response(fields))
    if (pdu.command === 'unbind') this.#session.destroy()
  }

  async #enquire(): Promise<void> {
    if (!(await this.request('enquire_link'))) this.#session.destroy()
  }

  async close(): Promise<void> {
    await this.request('unbind', {}, UNBIND_MS)
    this.#session.destroy()
  }
}

async function connect({ host, port, tls, ca }: Settings): Promise<Socket> {
  const name = isIP(host) ? {} : { servername: host } // a server of several names needs it
  const socket = tls ? connectTls({ host, port, ...name, ...(ca && { ca }) }) : connectTcp({ host, port })
  try {
    const signal = AbortSignal.timeout(CONNECT_MS)
    await once(socket, tls ? 'secureConnect' : 'connect', { signal })
    return socket.setNoDelay(true)
  } catch (error) {
    socket.destroy()
    // without a message if several addresses were tried
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
