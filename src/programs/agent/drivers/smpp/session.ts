import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { findStatusName, makeLibrarySession, makePdu, type Pdu } from './library.ts'
import type { SmppSettings } from './smpp-settings.ts'

/** Type of a bind. It is also the name of the request. */
type Bind = 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver'
/** Stores an incoming text or receipt. If it rejects, the carrier is asked to repeat it. */
export type DeliverPdu = (pdu: Pdu) => Promise<void>

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

export const listBinds = ({ bind }: SmppSettings): readonly Bind[] =>
  bind === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver']

export type SmppSession = Awaited<ReturnType<typeof openSmppSession>>

/** Connects and binds. Throws an error with the status or the cause. */
export async function openSmppSession(settings: SmppSettings, bind: Bind, deliver: DeliverPdu) {
  const { system_id, password, system_type, answer_seconds, enquire_link_seconds } = settings
  const socket = await connectSocket(settings)
  const session = makeLibrarySession(socket)
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
   * Sends a request. Returns undefined if no answer arrives in time: the carrier may have executed the
   * request. `late` gets an answer that arrives later.
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
        if (!open.has(pdu.sequence_number)) return
        if (late) awaitedLate.set(pdu.sequence_number, late)
        if (awaitedLate.size > MAX_LATE) awaitedLate.delete(awaitedLate.keys().next().value!)
        settle()
      }
      // after a stall timers fire first: read what is in the socket before giving up
      const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
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

  const answered = await request(bind, {
    system_id,
    password,
    system_type,
    interface_version: VERSION,
  })
  if (answered?.command_status !== 0) {
    session.destroy()
    throw new Error(answered ? findStatusName(answered.command_status) : 'no answer')
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

async function connectSocket({ host, port, tls, ca }: SmppSettings): Promise<Socket> {
  const name = isIP(host) ? {} : { servername: host } // servers with several names need SNI
  const socket = tls
    ? connectTls({ host, port, ...name, ...(ca && { ca }) })
    : connectTcp({ host, port })
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
