import type { Client } from '../../support/server/server-with-devices.ts'
import type { Phone } from '../../support/smsgate/smsgate-app.ts'
import { joinPhone, type SmsgateFixture } from '../../support/smsgate/smsgate-fixture.ts'

export const MB = 1_000_000

/** Returns a function that sends a PDF, which nobody makes smaller, in an MMS. */
export const makeFileSender =
  (url: string) =>
  async (user: Client, i: number, bytes: number): Promise<string> => {
    const form = new FormData()
    form.append('recipients', `+4915${10_000_000 + i}`)
    form.append('body', 'Your parcel')
    form.append('subject', 'Shop')
    form.append('attachments', new Blob(['%PDF-1.4\n', new Uint8Array(bytes)]), 'note.pdf')
    const headers = { authorization: user.token }
    const answer = await fetch(`${url}/api/sms/send`, { method: 'POST', headers, body: form })
    const { message_ids } = (await answer.json()) as { message_ids: string[] }
    return message_ids[0]!
  }

/** A phone that has pulled once, so that its line shows whether it sends MMS. */
export async function joinMmsPhone(
  site: SmsgateFixture,
  user: Client,
  version: string,
): Promise<Phone> {
  const phone = await joinPhone(site, user, { version })
  await phone.call('GET', '/message')
  return phone
}
