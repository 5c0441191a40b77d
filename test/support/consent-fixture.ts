import { type Client, must, startServerWithDevices } from './server/server-with-devices.ts'

export const NO_PROOF = 'No proof of consent'

/** A server with Ann, who sends by a simulated phone, and people who agree. */
export async function startConsentFixture() {
  const server = await startServerWithDevices()
  const ann: Client = await server.makeUser()
  const phone = await server.pair(ann, { platform: 'simulator' })
  let numbers = 90_000_000
  const record = async (collection: string, values: object) =>
    (await must(ann, 'POST', `/api/collections/${collection}/records`, {
      user: ann.id,
      ...values,
    })) as {
      id: string
    }
  return {
    server,
    ann,
    phone,
    record,
    nextNumber: () => `+4915${numbers++}`,
    agree: (number: string, more: object = {}) =>
      record('consents', { number, event: 'opt_in', shown: 'Yes, please', ...more }),
    send: (path: string, body: object) => must(ann, 'POST', `/api/sms/${path}`, body),
    /** Status and error of each message of a send, by number. */
    async outcomes(ids: readonly string[]) {
      const text =
        'select "to", status || \' \' || error_message from sms_messages where id = any($1::text[])'
      return Object.fromEntries((await server.query(text, [ids])) as [string, string][])
    },
  }
}
