import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// An authenticator in software: it makes passkeys and signs with them as WebAuthn says (ES256, no
// attestation). Each field of what it signs can be replaced, which browsers never allow.

/** What an attack replaces. */
export interface Forged {
  readonly origin?: string
  readonly host?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  /** Flags of the authenticator data: 1 present, 4 verified, 64 with a key. */
  readonly flags?: number
  readonly counter?: number
  readonly userHandle?: string
  readonly id?: string
  readonly key?: KeyObject
  /** The attestation of a new passkey: its format, and whether certificates are in it. */
  readonly format?: string
  readonly hasCertificates?: boolean
}

const PRESENT_AND_VERIFIED = 5
const WITH_KEY = 64

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** A value in CBOR, RFC 8949: whole numbers, texts, bytes and maps are enough here. */
function encodeCbor(value: unknown): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(encodeCbor)])
}

/** The options of a server, as far as an authenticator reads them. */
interface Options {
  readonly challenge: string
  readonly user?: { readonly id: string }
}

/** A passkey at a site, with its private key. */
export class TestPasskey {
  readonly id = base64url(randomBytes(32))
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  #handle = ''
  /** Signatures so far. 0: it does not count, as passkeys that are synchronized. */
  counter: number

  constructor(origin: string, counter = 0) {
    this.#origin = origin
    this.counter = counter
  }

  get key(): KeyObject {
    return this.#keys.privateKey
  }

  /** The answer to options for a new passkey, as a browser's `toJSON()` returns it. */
  create(options: Options, forged: Forged = {}) {
    this.#handle = options.user?.id ?? ''
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = encodeCbor(
      new Map<number, unknown>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        [-2, Buffer.from(x!, 'base64url')],
        [-3, Buffer.from(y!, 'base64url')],
      ]),
    )
    const id = Buffer.from(this.id, 'base64url')
    const idLength = Buffer.from([id.length >> 8, id.length & 255])
    const flags = forged.flags ?? PRESENT_AND_VERIFIED | WITH_KEY
    const data = Buffer.concat([
      this.#writeData({ ...forged, flags }),
      Buffer.alloc(16),
      idLength,
      id,
      key,
    ])
    const { format = 'none', hasCertificates = false } = forged
    const certificates = new Map([['x5c', Buffer.from('of a carrier pigeon')]])
    const attestation = new Map<string, unknown>([
      ['fmt', format],
      ['attStmt', hasCertificates ? certificates : new Map()],
      ['authData', data],
    ])
    return {
      ...this.#describe(forged),
      response: {
        clientDataJSON: base64url(this.#writeClientData('webauthn.create', options, forged)),
        attestationObject: base64url(encodeCbor(attestation)),
        transports: ['internal'],
      },
    }
  }

  /** The answer to options for a signature. */
  sign(options: Options, forged: Forged = {}) {
    if (this.counter > 0) this.counter++
    const clientData = this.#writeClientData('webauthn.get', options, forged)
    const data = this.#writeData(forged)
    const signed = Buffer.concat([data, sha256(clientData)])
    return {
      ...this.#describe(forged),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', signed, forged.key ?? this.key)),
        userHandle: forged.userHandle ?? this.#handle,
      },
    }
  }

  #describe({ id = this.id }: Forged) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
  }

  #writeClientData(type: string, { challenge }: Options, forged: Forged): string {
    const { origin = this.#origin, crossOrigin = false } = forged
    return JSON.stringify({
      type: forged.type ?? type,
      challenge: forged.challenge ?? challenge,
      origin,
      crossOrigin,
    })
  }

  #writeData({ host, flags = PRESENT_AND_VERIFIED, counter = this.counter }: Forged): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([
      sha256(host ?? new URL(this.#origin).hostname),
      Buffer.from([flags]),
      count,
    ])
  }
}
