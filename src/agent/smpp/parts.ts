import type { DriverEvents, IncomingText } from '../driver.ts'
import { FileMap } from '../file-map.ts'
import type { Pdu } from './session.ts'

/** A part's place in its text; `seq` from 1. */
interface Place {
  readonly ref: string
  readonly total: number
  readonly seq: number
}

/** A text that came in, or a part of one. */
interface Part extends IncomingText {
  readonly to: string
}

/** A text of several parts. It stays when it was handed in, so that repeated parts are known. */
interface Whole extends Pick<Part, 'from' | 'sim'> {
  /** When the first part came; milliseconds since 1970. */
  readonly at: number
  readonly bodies: (string | null)[]
  readonly isHanded?: boolean
}

/** After this time a text is handed in without the parts that are missing. */
const KEPT_MS = 6 * 3_600_000
/** Parts that come again later are another text, with the same reference. */
const REPEATED_MS = 30 * 60_000
const LOOK_MS = 60_000
const MAX_TEXTS = 10_000
const MISSING = '…'

/** Puts texts together whose parts come in any order, repeatedly, or after a restart. */
export class Parts {
  readonly #received: DriverEvents['received']
  readonly #texts: FileMap<Whole>
  readonly #timer: NodeJS.Timeout

  constructor(file: string, received: DriverEvents['received']) {
    this.#received = received
    this.#texts = new FileMap(file, MAX_TEXTS)
    this.#timer = setInterval(() => void this.#handInOld(), LOOK_MS)
    void this.#handInOld()
  }

  /** Resolves when the part is on disk, and the text with the last one. */
  async take({ ref, total, seq }: Place, { from, to, sim, body }: Part): Promise<void> {
    const key = JSON.stringify([from, to, ref, total])
    const known = this.#texts.get(key)
    const before = known?.bodies[seq - 1]
    if (known?.isHanded && before === body) return
    // a reference that is used again begins a new text
    const isNew = !known || known.isHanded || (before !== null && before !== body)
    const text: Whole = isNew ? { from, sim, at: Date.now(), bodies: new Array(total).fill(null) } : known
    text.bodies[seq - 1] = body
    const told = isNew && known && !known.isHanded && this.#tell(known)
    await Promise.all([told, this.#texts.set(key, text)])
    if (!text.bodies.includes(null)) await this.#handIn(key, text)
  }

  async #handIn(key: string, text: Whole): Promise<void> {
    await this.#tell(text)
    await this.#texts.set(key, { ...text, isHanded: true })
  }

  /** Under the first part's time: the server stores the same text of one time once. */
  #tell({ from, sim, at, bodies }: Whole): Promise<void> {
    const body = bodies.map((each) => each ?? MISSING).join('')
    return this.#received({ from, sim, body: body.toWellFormed() }, new Date(at))
  }

  async #handInOld(): Promise<void> {
    for (const [key, text] of [...this.#texts.entries()]) {
      if (text.at > Date.now() - (text.isHanded ? REPEATED_MS : KEPT_MS)) continue
      if (!text.isHanded) await this.#handIn(key, text)
      await this.#texts.set(key)
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#texts.close()
  }
}

/** Where a part belongs, by its header or its sar_* fields; undefined for a text of one message. */
export function placeOf(pdu: Pdu, header: Buffer): Place | undefined {
  const { sar_msg_ref_num: ref, sar_total_segments: total, sar_segment_seqnum: seq } = pdu
  let place: Place | undefined
  if (ref !== undefined) place = { ref: `sar ${ref}`, total: Number(total), seq: Number(seq) }
  // Elements are id, length, data; 0 and 8 have a reference of 8 and 16 bits. 3GPP TS 23.040, 9.2.3.24
  for (let i = 0; i + 1 < header.length; i += 2 + header[i + 1]!) {
    const data = header.subarray(i + 2, i + 2 + header[i + 1]!)
    if ((header[i] === 0 && data.length === 3) || (header[i] === 8 && data.length === 4))
      place = { ref: data.subarray(0, -2).toString('hex'), total: data.at(-2)!, seq: data.at(-1)! }
  }
  return place && place.seq >= 1 && place.seq <= place.total && place.total > 1 ? place : undefined
}
