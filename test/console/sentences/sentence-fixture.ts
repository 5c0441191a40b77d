import { makeRandomId } from '../../../src/platform/tools/random.ts'
import {
  must,
  type ServerWithDevices,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { readTranslations } from '../catalogues.ts'

/** A sentence of the console about what the server does: English, German, and a try of it. */
export type Sentence = readonly [english: string, german: string, run: () => Promise<void>]

const GERMAN = readTranslations('de')

/** Tests each sentence against the server, and that German says what its row has. */
export const testSentences = (sentences: readonly Sentence[]): void =>
  test.each(sentences)(
    'the server does what the console says: %s',
    async (english, german, run) => {
      expect(GERMAN.get(english)).toBe(german)
      await run()
    },
  )

let numbers = 66_000_000
export const nextNumber = (): string => `+4915${numbers++}`

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Json = any

/** A server, a user with a phone, and what tries of sentences need. */
export const openSentenceServer = async (env: Readonly<Record<string, string>> = {}) =>
  openShop(await startServerWithDevices(env))

/** Another user with a phone at the server: no other try leaves texts to its phone. */
export async function openShop(server: ServerWithDevices) {
  const ann = await server.makeUser()
  const phone = await server.pair(ann)
  const path = (collection: string, id = '') => `/api/collections/${collection}/records/${id}`
  const create = (collection: string, values: object = {}): Promise<Json> =>
    must(ann, 'POST', path(collection).slice(0, -1), { user: ann.id, ...values })
  const change = (collection: string, id: string, values: object): Promise<Json> =>
    must(ann, 'PATCH', path(collection, id), values)
  const remove = (collection: string, id: string) => must(ann, 'DELETE', path(collection, id))
  const list = async (collection: string, filter = ''): Promise<Json[]> =>
    (await must(ann, 'GET', `${path(collection).slice(0, -1)}?${new URLSearchParams({ filter })}`))
      .items
  const readMessage = (id: string): Promise<Json> => must(ann, 'GET', path('sms_messages', id))
  /** Sends a text, and returns its message. */
  async function send(number: string, more: object = {}): Promise<Json> {
    const body = { recipients: [number], body: 'Hello', client_ref: makeRandomId(), ...more }
    const { message_ids } = await must(ann, 'POST', '/api/sms/send', body)
    return readMessage(message_ids[0])
  }
  /** Why a new text to the number fails; '' if it leaves. */
  const findRefusal = async (number: string, more: object = {}): Promise<string> =>
    (await send(number, more)).error_message
  const claim = async (by = phone): Promise<Json[]> =>
    (await must(by, 'POST', '/api/devices/claim', { limit: 50 })).items
  const report = (task: Json, status: string, by = phone) =>
    must(by, 'POST', '/api/devices/report', {
      items: [{ id: task.id, attempt: task.attempt, status }],
    })
  const hear = (number: string, ...bodies: string[]) =>
    server.hear(
      phone,
      bodies.map((body) => [number, body] as const),
    )
  return {
    server,
    ann,
    phone,
    create,
    change,
    remove,
    list,
    send,
    readMessage,
    findRefusal,
    claim,
    report,
    hear,
  }
}
