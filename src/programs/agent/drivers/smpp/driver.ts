import { randomInt } from 'node:crypto'
import { UserError } from '../../../../platform/api-errors.ts'
import { SHORT_CODE } from '../../../../portable/phone/e164.ts'
import type {
  Driver,
  DriverEvents,
  OutgoingText,
  Recall,
  SendResult,
} from '../../driver-interface.ts'
import { defineDriverKind } from '../driver-kind.ts'
import { SETTINGS_OPTION } from '../options.ts'
import { type Coding, decodeSmsText } from './decode-text.ts'
import { encodeSmsText, makePartFields, UDH } from './encode-text.ts'
import { openPartJoiner, readHeader } from './join-parts.ts'
import { findStatusName, type Pdu } from './library.ts'
import { openSmppLink, type SmppLink } from './link.ts'
import { isReceipt, openReceipts, readReceiptText } from './match-receipts.ts'
import { listBinds, openSmppSession } from './session.ts'
import {
  printNumbers,
  readPhoneAddress,
  readSmppSettings,
  type SmppSettings,
} from './smpp-settings.ts'

/** The server's maximum of messages per request. */
const MAX_PARALLEL = 100
/** Only what can be sent in this time is fetched. It is much less than the server's lease of a message. */
const MAX_SECONDS = 30
const MAX_PARTS = 255
const MAX_PAYLOAD = 65_535
/** Maximum length of an address, in SMPP 5.0. */
const MAX_ADDRESS = 65
/** The bits of esm_class with the type of the message. SMPP 3.4, 5.2.12 */
const TYPE = 0x3c
const RECEIPTS = new Set([0x04, 0x20])
/** RINVBNDSTS, RSYSERR, RX_T_APPN: the carrier refuses a text now but may accept it later. */
const PASSING = new Set([0x04, 0x08, 0x64])

/** Uses a carrier's account through SMPP 3.4. Each sender counts as a SIM. `files`: prefix of file names. */
export function makeSmppDriver(settings: SmppSettings, files: string): Driver {
  const { host, senders, registered_delivery, long_texts } = settings
  let link: SmppLink
  let receipts: ReturnType<typeof openReceipts>
  let texts: ReturnType<typeof openPartJoiner>
  let lastReference = randomInt(65_536)
  /** Time given to the last received text. It is unique: the server drops equal texts with equal times. */
  let lastMs = 0

  async function start(events: DriverEvents): Promise<void> {
    receipts = openReceipts(`${files}-sent`, settings, events.delivered)
    texts = openPartJoiner(`${files}-parts`, events.received, read, now)
    link = openSmppLink(settings, (pdu) => deliver(pdu, events), events.roomGrew)
  }

  const now = () => {
    lastMs = Math.max(Date.now(), lastMs + 1)
    return lastMs
  }

  const read = (bytes: Buffer, coding: Coding) =>
    decodeSmsText(bytes, coding, settings.default_alphabet).replaceAll('\0', '')

  async function send(text: OutgoingText, untilMs: number, recall?: Recall): Promise<SendResult> {
    const sender = senders[Math.max(text.sim, 1) - 1]
    const { dataCoding, isLong, parts } = encodeSmsText(
      text.body,
      settings.alphabet,
      long_texts === 'payload',
    )
    const isTooLong = parts.length > MAX_PARTS || parts[0]!.length > MAX_PAYLOAD
    if (!sender || isTooLong) {
      link.endTurn()
      return makeFailedResult(
        isTooLong ? 'The text is too long' : `There is no sender ${text.sim}`,
        !isTooLong,
      )
    }
    const { validity_minutes } = settings
    // 3: a number of this network only. SMPP 3.4, 5.2.5
    const { ton, npi } = SHORT_CODE.test(text.to) ? { ton: 3, npi: 0 } : settings
    const common = {
      source_addr_ton: sender.ton,
      source_addr_npi: sender.npi,
      source_addr: sender.address,
      dest_addr_ton: ton,
      dest_addr_npi: npi,
      destination_addr: text.to.replace(/^\+/, ''),
      data_coding: dataCoding,
      registered_delivery,
      validity_period: validity_minutes > 0 ? formatValidity(validity_minutes) : '',
    }
    const reference = lastReference++
    const ids: string[] = []
    // an error here must not fail the text, which was sent
    const noteReceipts = async () => {
      const least = settings.receipt_for_parts === 'one' ? 1 : parts.length
      if (!registered_delivery || ids.length < least) return
      await receipts
        .add(ids, text)
        .catch((error) => process.stderr.write(`SMPP: the ids of a text were not kept: ${error}\n`))
    }
    for (const [i, bytes] of parts.entries()) {
      const content = isLong
        ? makePartFields(long_texts, bytes, reference, parts.length, i + 1)
        : { short_message: bytes }
      const submit = () =>
        link.submit({ ...common, ...content }, ({ command_status, message_id }) => {
          if (command_status === 0 && message_id) ids.push(String(message_id))
          void noteReceipts()
        })
      let answer = i > 0 ? 'again' : await submit()
      if (i === 0 && answer === 'again') return { outcome: 'again' }
      while (answer === 'again' && (await link.turn(untilMs, true, recall?.signal)))
        answer = await submit()
      // some or all parts may have been sent
      if (!answer || answer === 'again') return { outcome: 'unknown' }
      const { command, command_status: status, message_id } = answer
      if (status !== 0)
        return makeFailedResult(
          `The carrier refused it: ${findStatusName(status)}`,
          i === 0 && PASSING.has(status),
        )
      if (command !== 'submit_sm_resp') return { outcome: 'unknown' }
      if (message_id) ids.push(String(message_id))
    }
    await noteReceipts()
    return { outcome: 'sent' }
  }

  async function deliver(pdu: Pdu, events: DriverEvents): Promise<void> {
    const { short_message, message_payload } = pdu
    const esmClass = Number(pdu.esm_class ?? 0)
    const all = [short_message, message_payload].find(
      (each) => Buffer.isBuffer(each) && each.length > 0,
    )
    const content = (all as Buffer | undefined) ?? Buffer.alloc(0)
    const start = esmClass & UDH ? 1 + (content[0] ?? 0) : 0
    const bytes = content.subarray(start)
    const { single, locking, isData, place } = readHeader(pdu, content.subarray(1, start))
    const coding = {
      dataCoding: Number(pdu.data_coding ?? 0),
      single,
      locking,
      ...(isData && { isData }),
    }
    const plain = readReceiptText(bytes, () => read(bytes, coding))
    if (RECEIPTS.has(esmClass & TYPE) || isReceipt(pdu, plain.slice(0, 255)))
      return receipts.take(pdu, plain)
    const readNumber = (address: unknown, ton: unknown) =>
      readPhoneAddress(String(address).slice(0, MAX_ADDRESS), Number(ton), settings)
    const from = readNumber(pdu.source_addr, pdu.source_addr_ton)
    const to = readNumber(pdu.destination_addr, pdu.dest_addr_ton)
    const plainTo = to.replace(/^\+/, '')
    const sim =
      senders.findIndex(
        ({ address, ton }) => address === plainTo || readNumber(address, ton) === to,
      ) + 1
    if (place) return texts.take(place, { from, to: plainTo, sim, bytes, coding })
    const body = read(bytes, coding).toWellFormed()
    return events.received({ from, sim, body }, new Date(now()))
  }

  async function stop(): Promise<void> {
    await link.stop()
    receipts.close()
    texts.close()
  }

  return {
    sims: senders.map(({ address, ton }, i) => {
      const sender = ton === 1 ? { number: `+${address}` } : { sender: address }
      return { slot: i + 1, ...sender, carrier: host }
    }),
    /**
     * The allowed number of unanswered messages, or one second's messages if these are more. At most
     * MAX_PARALLEL, and at most as many as the carrier accepts in MAX_SECONDS.
     */
    get parallel() {
      const rate = link.rate()
      const { sessions, window } = settings
      return Math.ceil(
        Math.min(Math.max(sessions * window, rate), rate * MAX_SECONDS, MAX_PARALLEL),
      )
    },
    start,
    ready: (untilMs, ended) => link.turn(untilMs, false, ended),
    skip: () => link.endTurn(),
    send,
    stop,
  }
}

const makeFailedResult = (error: string, notSent: boolean): SendResult => ({
  outcome: 'failed',
  error,
  notSent,
})

/** Minutes in SMPP's format of relative times. SMPP 3.4, 7.1.1.2 */
function formatValidity(minutes: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `0000${two(minutes / 1440)}${two((minutes / 60) % 24)}${two(minutes % 60)}00000R`
}

const FILE = 'smpp.json'

export const SMPP = defineDriverKind({
  options: { settings: SETTINGS_OPTION },
  platform: 'carrier',
  make: ({ settings }, stateFile) =>
    makeSmppDriver(readSmppSettings(settings || FILE, process.env), `${stateFile}.smpp`),
  async check(given, say) {
    const settings = readSmppSettings(given.settings || FILE, process.env)
    await checkCarrier(settings, say)
    printNumbers(settings, say)
  },
})

/** Binds and unbinds once. Throws a UserError that says what the carrier answered. */
export async function checkCarrier(
  settings: SmppSettings,
  say: (line: string) => void,
): Promise<void> {
  const { host, port, system_id } = settings
  for (const bind of listBinds(settings)) {
    const what = `${bind} as ${system_id} at ${host}:${port}`
    const refuse = () => Promise.reject(new Error('only a check'))
    const session = await openSmppSession(settings, bind, refuse).catch((error: Error) => {
      throw new UserError(`${what}: ${error.message}`)
    })
    await session.close()
    say(`${what}: ${findStatusName(0)}`)
  }
}
