import { createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenLocally } from './listen.ts'

/** A wake-up as it arrived: headers, and the text inside after decryption. */
export interface Pushed {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/**
 * A push service and the browser behind it in one (RFC 8030, 8188, 8291): takes pushes, decrypts them with
 * the subscription's keys. `answer`: the status of the next answers, which take `delayMs`.
 */
export async function startPushService(delayMs = 0) {
  const keys = createECDH('prime256v1')
  const publicKey = keys.generateKeys()
  const secret = randomBytes(16)
  const pushed: Pushed[] = []
  let status = 201
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    pushed.push({ path: req.url ?? '', headers: req.headers, text: decrypt(Buffer.concat(chunks)) })
    await sleep(delayMs)
    res.writeHead(status).end()
  })
  const { url, stop } = await listenLocally(server)

  /** RFC 8188, 2: salt, record size, length and bytes of the sender's key, one record. */
  function decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body[20]!
    const senderKey = body.subarray(21, 21 + keyLength)
    const sealed = body.subarray(21 + keyLength)
    const shared = keys.computeSecret(senderKey)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey])
    const ikm = Buffer.from(hkdfSync('sha256', shared, secret, info, 32))
    const prk = createHmac('sha256', salt).update(ikm).digest()
    const expand = (label: string, length: number) =>
      createHmac('sha256', prk)
        .update(Buffer.from(`Content-Encoding: ${label}\0\x01`, 'latin1'))
        .digest()
        .subarray(0, length)
    const decipher = createDecipheriv('aes-128-gcm', expand('aes128gcm', 16), expand('nonce', 12))
    decipher.setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    return plain.subarray(0, plain.lastIndexOf(2)).toString()
  }

  return {
    pushed,
    answer(next: number) {
      status = next
    },
    subscription: (path = '/push/1') => ({
      endpoint: url + path,
      keys: { p256dh: publicKey.toString('base64url'), auth: secret.toString('base64url') },
    }),
    stop,
  }
}
