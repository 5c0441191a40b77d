import { type EventEmitter, once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import smpp from 'smpp'
import { UserError } from '../../errors.ts'
import type { Settings } from './settings.ts'

// This file mends faults of the package smpp 0.5.1.

/** A message of SMPP. Texts in it are still bytes. */
export interface Pdu {
  readonly command: string
  readonly command_status: number
  readonly sequence_number: number
  /** True if the message was shorter than its fields say. It then has no fields. */
  readonly isCutOff?: boolean
  readonly [field: string]: unknown
  isResponse(): boolean
  response(fields: object): Pdu
}
export interface LibrarySession extends EventEmitter {
  readonly socket: Socket
  /** False if nothing was written. */
  send(pdu: Pdu): boolean
  pause(): void
  resume(): void
  destroy(): void
}
interface Field {
  type: { size(value: unknown): number }
  filter?: unknown
}

const HEADER_BYTES = 16

// removes the library's filters: they lose bytes and fail on unusual dates
for (const { params = {} } of Object.values<{ params?: Record<string, Field> }>(smpp.commands))
  for (const param of Object.values(params)) delete param.filter
for (const tlv of Object.values<Field>(smpp.tlvs)) delete tlv.filter
// some carriers leave out this field's final zero byte: the library would read on
smpp.tlvs.receipted_message_id.type = smpp.types.tlv.string
// a message_payload has up to 64 KiB
smpp.PDU.maxLength = 128 << 10
// the library waits for more data after a length of 0
const { commandLength } = smpp.PDU
smpp.PDU.commandLength = (stream: Socket): number | false => {
  const length: number | false = commandLength(stream)
  if (length !== false && length < HEADER_BYTES) throw new Error('a message is shorter than its header')
  return length
}
// the library reads a truncated message as one with fewer fields, or fails
smpp.PDU.fromStream = (stream: Socket, length: number): Pdu | false => {
  const rest: Buffer | null = stream.read(length - 4)
  if (!rest) return false
  // an ended stream may return fewer bytes than asked for
  if (rest.length < length - 4) throw new Error('the link ended within a message')
  const bytes = Buffer.concat([Buffer.alloc(4), rest])
  bytes.writeUInt32BE(length)
  try {
    const pdu: Pdu = new smpp.PDU(bytes)
    if (isWhole(pdu, bytes)) return pdu
  } catch {} // a field exceeds the message
  bytes.writeUInt32BE(HEADER_BYTES)
  return Object.assign(new smpp.PDU(bytes.subarray(0, HEADER_BYTES)), { isCutOff: true })
}

/** Whether a request is long enough for its fields. True for answers, which may lack fields. */
function isWhole(pdu: Pdu, bytes: Buffer): boolean {
  if (pdu.isResponse() || pdu.command === 'unknown') return true
  const params: Record<string, Field> = smpp.commands[pdu.command].params ?? {}
  let end = HEADER_BYTES
  for (const [name, { type }] of Object.entries(params)) {
    if (end >= bytes.length) return false
    end += type === smpp.types.buffer ? 1 + bytes[end]! : type.size(pdu[name])
  }
  while (end + 4 <= bytes.length) end += 4 + bytes.readUInt16BE(end + 2)
  return end <= bytes.length
}

/** Name and code of a status, such as `ESME_RBINDFAIL (0x0d)`. */
export function statusName(code: number): string {
  const [name = 'Status'] = Object.entries(smpp.errors).find(([, each]) => each === code) ?? []
  return `${name} (0x${code.toString(16).padStart(2, '0')})`
}

export const makePdu = (command: string, fields: object): Pdu => new smpp.PDU(command, fields)

/** Type of a bind. It is also the name of the request. */
type Bind = 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver'
/** Stores an incoming text or receipt. If it rejects, the carrier is asked to repeat it. */
export type Deliver = (pdu: Pdu) => Promise<void>

const CONNECT_MS = 15_000
const UNBIND_MS = 2_000
const VERSION = 0x34
/** Requests of the carrier that `answer` handles. `leave` handles unbind. `unknown` gets a generic_nack. */
const ANSWERED = new Set(['deliver_sm', 'data_sm', 'enquire_link', 'unknown'])
/** ESME_RX_T_APPN, a temporary error of the receiver. WRONG_LENGTH: ESME_RINVCMDLEN. */
const TRY_AGAIN = 0x64
const WRONG_LENGTH = 0x02
/** Maximum unanswered requests of the carrier. Further requests are read later. */
const MAX_ANSWERING = 100
const MAX_LATE = 10_000

export const bindsOf = ({ bind }: Settings): readonly Bind[] =>
  bind === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver']

/** A bound connection to the carrier. */
export type Session = Awaited<ReturnType<typeof openSession>>

/** Connects and binds. Throws an error with the status or the cause. */
export async function openSession(settings: Settings, bind: Bind, deliver: Deliver) {
  const { system_id, password, system_type, answer_seconds, enquire_link_seconds } = settings
  const socket = await connect(settings)
  const session: LibrarySession = new smpp.Session({ socket })
  const closed = new Promise<void>((resolve) => session.on('close', resolve))
  /** The agent's unanswered requests by sequence number. The library's own callbacks have no time limit. */
  const open = new Map<number, (answer?: Pdu) => void>()
  /** Callbacks for late answers to requests that timed out, by sequence number. */
  const awaitedLate = new Map<number, (answer: Pdu) => void>()
  /** How many requests of the carrier, except an unbind, are unanswered. */
  let answering = 0
  let unbind: Pdu | undefined

  // the library stops reading after an unreadable message: end the connection
  session.on('error', () => session.destroy())
  session.on('pdu', (pdu: Pdu) => {
    if (pdu.isResponse()) settle(pdu)
    else if (pdu.command === 'unbind') {
      unbind = pdu
      leave()
    } else if (ANSWERED.has(pdu.command)) void answer(pdu)
  })
  socket.on('drain', pace)
  void closed.then(() => {
    for (const settle of open.values()) settle()
  })

  const isWritable = () => !unbind && socket.writable

  /**
   * Sends a request. Returns undefined if no answer comes in time: the carrier may have executed the request.
   * `late` gets an answer that comes later.
   */
  function request(
    command: string,
    fields = {},
    late?: (answer: Pdu) => void,
    timeoutMs = answer_seconds * 1000,
  ): Promise<Pdu | undefined> {
    const pdu = makePdu(command, fields)
    if (!session.send(pdu)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer?: Pdu) => {
        clearTimeout(timer)
        open.delete(pdu.sequence_number)
        resolve(answer)
        leave()
      }
      const giveUp = () => {
        if (late) awaitedLate.set(pdu.sequence_number, late)
        if (awaitedLate.size > MAX_LATE) awaitedLate.delete(awaitedLate.keys().next().value!)
        settle()
      }
      const timer = setTimeout(giveUp, timeoutMs)
      open.set(pdu.sequence_number, settle)
    })
  }

  function settle(pdu: Pdu): void {
    const { sequence_number } = pdu
    const take = open.get(sequence_number) ?? awaitedLate.get(sequence_number)
    awaitedLate.delete(sequence_number)
    take?.(pdu)
  }

  async function answer(pdu: Pdu): Promise<void> {
    let fields = {}
    answering++
    pace()
    try {
      if (pdu.isCutOff) fields = { command_status: WRONG_LENGTH }
      else if (pdu.command === 'deliver_sm' || pdu.command === 'data_sm') await deliver(pdu)
    } catch (error) {
      process.stderr.write(`SMPP: what came in could not be stored: ${error}\n`)
      fields = { command_status: TRY_AGAIN }
    }
    answering--
    session.send(pdu.response(fields))
    pace()
    leave()
  }

  /** Stops reading while too many requests are unanswered or the carrier does not read the answers. */
  function pace(): void {
    if (answering >= MAX_ANSWERING || socket.writableNeedDrain) session.pause()
    else session.resume()
  }

  /** Answers the carrier's unbind, once all other requests are answered. */
  function leave(): void {
    if (!unbind || open.size > 0 || answering > 0) return
    session.send(unbind.response({}))
    socket.destroySoon()
  }

  async function enquire(): Promise<void> {
    if (isWritable() && !(await request('enquire_link'))) session.destroy()
  }

  async function close(): Promise<void> {
    await request('unbind', {}, undefined, UNBIND_MS)
    session.destroy()
  }

  const answered = await request(bind, { system_id, password, system_type, interface_version: VERSION })
  if (answered?.command_status !== 0) {
    session.destroy()
    throw new Error(answered ? statusName(answered.command_status) : 'no answer')
  }
  const timer = setInterval(enquire, enquire_link_seconds * 1000)
  void closed.then(() => clearInterval(timer))
  return {
    closed,
    load: () => open.size,
    isWritable,
    request,
    close,
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
    const session = await openSession(settings, bind, refuse).catch((error: Error) => {
      throw new UserError(`${what}: ${error.message}`)
    })
    await session.close()
    say(`${what}: ${statusName(0)}`)
  }
}
