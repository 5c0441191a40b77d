import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import smpp from 'smpp'

// This file repairs faults of the package smpp 0.5.1. Others use the package through it alone.

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
interface LibrarySession extends EventEmitter {
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
  if (length !== false && length < HEADER_BYTES)
    throw new Error('a message is shorter than its header')
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
    if (isWholePdu(pdu, bytes)) return pdu
  } catch {} // a field exceeds the message
  bytes.writeUInt32BE(HEADER_BYTES)
  return Object.assign(new smpp.PDU(bytes.subarray(0, HEADER_BYTES)), { isCutOff: true })
}

/** Whether a request is long enough for its fields. True for answers, which may lack fields. */
function isWholePdu(pdu: Pdu, bytes: Buffer): boolean {
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
export function findStatusName(code: number): string {
  const [name = 'Status'] = Object.entries(smpp.errors).find(([, each]) => each === code) ?? []
  return `${name} (0x${code.toString(16).padStart(2, '0')})`
}

export const makePdu = (command: string, fields: object): Pdu => new smpp.PDU(command, fields)

export const makeLibrarySession = (socket: Socket): LibrarySession => new smpp.Session({ socket })
