import type { DriverEvents, IncomingText } from '../../driver-interface.ts'
import { openLineFile } from '../../line-file.ts'
import { type Coding, isSameCoding } from './decode-text.ts'
import type { Pdu } from './library.ts'

/** Which part of a long text a message is. `ref`: the text's reference, equal in all parts. `seq`: from 1. */
interface Place {
  readonly ref: string
  readonly total: number
  readonly seq: number
}

interface Content {
  readonly bytes: Buffer
  readonly coding: Coding
}

interface Part extends Omit<IncomingText, 'body'>, Content {
  readonly to: string
}

/** A text of several parts. After it was passed on (`isHanded`), it is kept to recognize repeated parts. */
interface Whole {
  readonly from: string
  readonly sim: number
  readonly total: number
  /** When the first part arrived, in milliseconds since 1970. */
  readonly at: number
  readonly parts: Map<number, Content>
  isHanded: boolean
}

/** A line of the file: a part (bytes in base64), or that a text was passed on (`handed`) or forgotten. */
type Entry =
  | { key: string; at: number; sim: number; seq: number; coding: Coding; bytes: string }
  | { key: string; handed?: true }

/** After this time a text is passed on without its missing parts. */
const KEPT_MS = 6 * 3_600_000
/** An equal part within this time is a repetition: the carrier may not have got the answer to the first. */
const REPEATED_MS = 10 * 60_000
const LOOK_MS = 60_000
/** Maximum bytes of all parts in memory. Above it, the oldest text is passed on, even if incomplete. */
const MAX_BYTES = 16 << 20
const PART_BYTES = 500
const MISSING = '…'

/** Assembles texts whose parts arrive in any order, or after a restart. `now` never returns a time twice. */
export function openPartJoiner(
  file: string,
  received: DriverEvents['received'],
  decode: (bytes: Buffer, coding: Coding) => string,
  now: () => number,
) {
  /** Texts by sender, recipient, reference and number of parts, oldest first. */
  const texts = new Map<string, Whole>()
  /** The last queued change of each text: changes of the same text never overlap. */
  const turns = new Map<string, Promise<unknown>>()
  let size = 0

  const lines = openLineFile(file, apply, live)
  const look = () =>
    handInOld().catch((error) =>
      process.stderr.write(`SMPP: a text in parts was not kept: ${error}\n`),
    )
  const timer = setInterval(look, LOOK_MS)
  void look()

  function apply(entry: Entry): void {
    const { key } = entry
    const text = texts.get(key)
    if ('seq' in entry) {
      const { at, sim, seq, coding, bytes } = entry
      const [from, , , total] = JSON.parse(key)
      const whole = text ?? { from, sim, total, at, parts: new Map(), isHanded: false }
      const part = { bytes: Buffer.from(bytes, 'base64'), coding }
      whole.parts.set(seq, part)
      size += part.bytes.length + PART_BYTES
      texts.set(key, whole)
    } else if (text && entry.handed) text.isHanded = true
    else if (text) {
      for (const { bytes } of text.parts.values()) size -= bytes.length + PART_BYTES
      texts.delete(key)
    }
  }

  function* live(): Iterable<Entry> {
    for (const [key, { at, sim, parts, isHanded }] of texts) {
      for (const [seq, { coding, bytes }] of parts)
        yield { key, at, sim, seq, coding, bytes: bytes.toString('base64') }
      if (isHanded) yield { key, handed: true }
    }
  }

  async function write(entry: Entry): Promise<void> {
    const written = lines.append(entry)
    apply(entry)
    await written
  }

  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work)
    const end = () => turns.get(key) === turn && turns.delete(key)
    turns.set(key, turn)
    turn.then(end, end)
    return turn
  }

  /** Stores a part, and passes the text on if it is complete. Resolves when both are on the disk. */
  async function take(place: Place, part: Part): Promise<void> {
    const key = JSON.stringify([part.from, part.to, place.ref, place.total])
    await inTurn(key, () => storePart(key, place, part))
    for (const oldest of texts.keys()) {
      if (size <= MAX_BYTES) break
      await leave(oldest)
    }
  }

  async function storePart(
    key: string,
    { seq, total }: Place,
    { sim, bytes, coding }: Part,
  ): Promise<void> {
    const known = texts.get(key)
    const before = known?.parts.get(seq)
    const isSame = before && isSameCoding(before.coding, coding) && before.bytes.equals(bytes)
    // the carrier uses the reference again: this part begins a new text
    if (known && before && (!isSame || isPartExpired(known))) await handIn(key, known, true)
    if (!texts.get(key)?.parts.has(seq))
      await write({ key, at: now(), sim, seq, coding, bytes: bytes.toString('base64') })
    const text = texts.get(key)!
    if (text.parts.size === total) await handIn(key, text, false)
  }

  async function handIn(key: string, text: Whole, isForgotten: boolean): Promise<void> {
    if (!text.isHanded) await tell(text)
    if (isForgotten) await write({ key })
    else if (!text.isHanded) await write({ key, handed: true })
  }

  /** Passes a text on, even if it is incomplete, unless that was done before. Then forgets it. */
  function leave(key: string): Promise<void> {
    return inTurn(key, async () => {
      const text = texts.get(key)
      if (text) await handIn(key, text, true)
    })
  }

  /** Passes a text on with its first part's time. If this is repeated, the server drops the equal text. */
  function tell({ from, sim, at, total, parts }: Whole): Promise<void> {
    let body = ''
    let run: Content[] = []
    const end = () => {
      if (run.length > 0)
        body += decode(Buffer.concat(run.map(({ bytes }) => bytes)), run[0]!.coding)
      run = []
    }
    for (let seq = 1; seq <= total; seq++) {
      const part = parts.get(seq)
      if (!isSameCoding(part?.coding, run[0]?.coding)) end() // a character may continue in the next part
      if (part) run.push(part)
      else body += MISSING
    }
    end()
    return received({ from, sim, body: body.toWellFormed() }, new Date(at))
  }

  async function handInOld(): Promise<void> {
    for (const [key, text] of texts)
      if (isPartExpired(text) || text.at <= Date.now() - KEPT_MS) await leave(key)
  }

  function close(): void {
    clearInterval(timer)
    lines.close()
  }

  return { take, close }
}

/** Whether the text was passed on so long ago that an equal part belongs to a new text. */
const isPartExpired = ({ isHanded, at }: Whole) => isHanded && at <= Date.now() - REPEATED_MS

/**
 * Reads from header or sar_* fields which part of a long text a message is, its language tables, and whether
 * it is data for a program of the phone.
 */
export function readHeader(pdu: Pdu, header: Buffer) {
  const { sar_msg_ref_num: ref, sar_total_segments: total, sar_segment_seqnum: seq } = pdu
  let place: Place | undefined
  let [single, locking] = [0, 0]
  // SMPP 3.4, 5.3.2.21. Port 0 is no port
  let isData = Number(pdu.dest_port ?? 0) > 0
  if (ref !== undefined) place = { ref: `sar ${ref}`, total: Number(total), seq: Number(seq) }
  // the header's elements: id, length, data. Ids 0, 8: reference of 8, 16 bits; 0x24, 0x25: language tables.
  // 4, 5: ports of programs. 3GPP TS 23.040, 9.2.3.24
  for (let i = 0; i + 1 < header.length; i += 2 + header[i + 1]!) {
    const data = header.subarray(i + 2, i + 2 + header[i + 1]!)
    if ((header[i] === 0 && data.length === 3) || (header[i] === 8 && data.length === 4))
      place = { ref: data.subarray(0, -2).toString('hex'), total: data.at(-2)!, seq: data.at(-1)! }
    if (header[i] === 4 || header[i] === 5)
      isData ||= data.subarray(0, data.length / 2).some((byte) => byte > 0)
    if (header[i] === 0x24 && data.length === 1) single = data[0]!
    if (header[i] === 0x25 && data.length === 1) locking = data[0]!
  }
  const isPart = place && place.seq >= 1 && place.seq <= place.total && place.total > 1
  return { place: isPart ? place : undefined, single, locking, isData }
}
