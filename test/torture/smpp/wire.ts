import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

const SUBMIT_SM = 0x04
const SUBMIT_SM_RESP = 0x8000_0004
const HEADER_BYTES = 16
/** Of what comes from the SMSC, so that requests are open when a fault strikes. */
const LATENCY_MS = 30
/** ESME_RTHROTTLED */
const THROTTLED = 0x58

/** A submit_sm on its way to the SMSC. Times as performance.now() has them. */
export interface Submit {
  readonly pdu: Buffer
  readonly at: number
  /** The answer's command_status; undefined when none came. */
  status?: number
  answeredAt?: number
  /** When the link ended on which it went. */
  endedAt?: number
}

/** The two ends of a connection, its requests, and those that are open, by sequence number. */
interface Link {
  readonly near: Socket
  readonly far: Socket
  readonly submits: Submit[]
  readonly open: Map<number, Submit>
  isSilent: boolean
}

/** A proxy between agent and SMSC that keeps each submit_sm, cuts links, silences them and throttles. */
export class Wire {
  readonly submits: Submit[] = []
  /** Share of requests that the SMSC never sees, as they are throttled here. */
  throttled = 0
  readonly #server: Server
  readonly #links = new Set<Link>()
  readonly #farPort: number

  private constructor(farPort: number) {
    this.#farPort = farPort
    this.#server = createServer((near) => this.#pass(near))
  }

  static async open(farPort: number): Promise<Wire> {
    const wire = new Wire(farPort)
    wire.#server.listen(0, '127.0.0.1')
    await once(wire.#server, 'listening')
    return wire
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get isUsed(): boolean {
    return this.#links.size > 0
  }

  /** How many requests are open now. */
  get open(): number {
    return [...this.#links].reduce((sum, { open }) => sum + open.size, 0)
  }

  /** Cuts all links, in the middle of a PDU. */
  cut(): void {
    for (const link of this.#links) {
      link.isSilent = true
      link.near.end(Buffer.from([0, 0, 0]))
      link.far.destroy()
    }
  }

  /** From now on nothing passes on the links that are there. */
  silence(): void {
    for (const link of this.#links) link.isSilent = true
  }

  close(): void {
    this.#server.close()
    for (const { near, far } of this.#links) for (const end of [near, far]) end.destroy()
  }

  #pass(near: Socket): void {
    const far = connect(this.#farPort, '127.0.0.1')
    const link: Link = { near, far, submits: [], open: new Map(), isSilent: false }
    this.#links.add(link)
    eachPdu(near, (pdu) => this.#isPassed(link, pdu) && far.write(pdu))
    const answer = (pdu: Buffer) => {
      if (link.isSilent || !near.writable) return
      if (pdu.readUInt32BE(4) === SUBMIT_SM_RESP) answered(link, pdu)
      near.write(pdu)
    }
    eachPdu(far, (pdu) => setTimeout(answer, LATENCY_MS, pdu))
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.on('error', () => {}) // closes, too
      end.on('close', () => {
        this.#links.delete(link)
        for (const submit of link.submits) submit.endedAt ??= performance.now()
        other.end() // destroyed, it could lose answers that it has passed on
      })
    }
  }

  #isPassed(link: Link, pdu: Buffer): boolean {
    const isSubmit = pdu.readUInt32BE(4) === SUBMIT_SM
    if (isSubmit && !link.isSilent && Math.random() < this.throttled) {
      const answer = Buffer.alloc(HEADER_BYTES)
      for (const [i, value] of [
        HEADER_BYTES,
        SUBMIT_SM_RESP,
        THROTTLED,
        pdu.readUInt32BE(12),
      ].entries())
        answer.writeUInt32BE(value, 4 * i)
      link.near.write(answer)
      const nowMs = performance.now()
      this.submits.push({ pdu, at: nowMs, status: THROTTLED, answeredAt: nowMs })
      return false
    }
    if (isSubmit) {
      const submit: Submit = { pdu, at: performance.now() }
      this.submits.push(submit)
      link.submits.push(submit)
      link.open.set(pdu.readUInt32BE(12), submit)
    }
    return !link.isSilent
  }
}

function answered({ open }: Link, pdu: Buffer): void {
  const sequence = pdu.readUInt32BE(12)
  const submit = open.get(sequence)
  if (!submit) return
  submit.status = pdu.readUInt32BE(8)
  submit.answeredAt = performance.now()
  open.delete(sequence)
}

/** Whole PDUs of a socket. */
function eachPdu(socket: Socket, handle: (pdu: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readUInt32BE(0)) {
      const length = rest.readUInt32BE(0)
      handle(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  })
}
