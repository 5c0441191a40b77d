import { createHmac } from 'node:crypto'
import type { Phone } from './smsgate-app.ts'

/** `content` null: the phone could not read the file. */
export type SentFile = readonly [name: string, content: Buffer | null, contentType?: string]

let senders = 1_000_000

/** The payload of an MMS as the app posts it, from a new number. */
export const mms = (files: readonly SentFile[], more: object = {}) => ({
  sender: `+49170${senders++}`,
  recipient: '+4915550000001',
  simNumber: 1,
  receivedAt: '2026-11-20T07:17:37.000+01:00',
  body: 'Look!',
  attachments: files.map(([name, content, contentType = 'image/jpeg'], partId) => {
    const [size, data] = [content?.length ?? 9, content?.toString('base64') ?? null]
    return { partId, contentType, name, size, data }
  }),
  ...more,
})

/** How a phone posts an MMS; the status of the answer. */
export async function mmsPoster(phone: Phone): Promise<(payload: object) => Promise<number>> {
  const path = (await phone.call('GET', '/webhooks')).body[0].url.replace(/.*\/incoming\//, '')
  const key = (await phone.call('GET', '/settings')).body.webhooks.signing_key
  return async (payload) => {
    const body = JSON.stringify({ id: String(Math.random()), event: 'mms:downloaded', payload })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', key)
      .update(body + timestamp)
      .digest('hex')
    const headers = { 'x-timestamp': timestamp, 'x-signature': signature }
    return (
      await phone.fetch(`${phone.options.url}/incoming/${path}`, { method: 'POST', headers, body })
    ).status
  }
}
