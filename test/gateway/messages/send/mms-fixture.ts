import { makePhoto } from '../../../support/pictures.ts'
import {
  type Client,
  must,
  type ServerWithDevices,
} from '../../../support/server/server-with-devices.ts'

// Users with a phone that can send MMS, and sends of photos.

/** A photo that fits into an MMS and says nothing besides: it leaves as it is. */
export const SMALL = await makePhoto('whatsapp')

/** What tests do with the MMS of a server. */
export function openMmsServer(server: ServerWithDevices) {
  /** A user whose only phone can send MMS. */
  async function makeShop() {
    const user = await server.makeUser()
    const phone = await server.pair(user)
    const line = await findLine(user)
    await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'on' })
    return { user, phone, line }
  }

  /** Sends a form, as browsers and SDKs do. */
  async function sendForm(
    user: Client,
    fields: Readonly<Record<string, string | readonly string[]>>,
    files: readonly (Buffer | File)[],
  ) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) form.append(name, one as string)
    for (const [i, file] of files.entries())
      if (file instanceof File) form.append('attachments', file)
      else form.append('attachments', new Blob([new Uint8Array(file)]), `parcel ${i}`)
    const answer = await fetch(`${server.url}/api/sms/send`, {
      method: 'POST',
      headers: {
        authorization: user.token,
        'idempotency-key': String(fields.client_ref ?? crypto.randomUUID()),
      },
      body: form,
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
    return { status: answer.status, body: (await answer.json()) as any }
  }

  const claim = async (phone: Client) =>
    (await must(phone, 'POST', '/api/devices/claim', { limit: 10, mms: true })).items

  /** Fetches a file by its link, without any token. */
  async function fetchLink(link: string): Promise<Buffer> {
    const { pathname, search } = new URL(link)
    const answer = await fetch(server.url + pathname + search)
    return Buffer.from(await answer.arrayBuffer())
  }

  const findMessage = (user: Client, id: string) =>
    must(user, 'GET', `/api/collections/sms_messages/records/${id}`)
  const countFiles = async (user: Client) =>
    Number(
      (
        await server.query(
          'select count(*) from _files f join _file_contents c on c.id = f.content where c.account = $1',
          [user.id],
        )
      )[0]![0],
    )

  return { makeShop, sendForm, claim, fetchLink, findMessage, countFiles }
}

const findLine = async (user: Client) =>
  (await must(user, 'GET', '/api/collections/lines/records')).items[0].id as string
