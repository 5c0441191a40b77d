import {
  type Client,
  must,
  type ServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { mms, mmsPoster } from '../../support/smsgate/mms.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { until } from '../../support/until.ts'

/** A person with data in every place, and what must be found of them nowhere after an erasure. */
export interface Seeded {
  readonly number: string
  readonly contact: string
  /** The name, and parts of texts, that nothing else contains. */
  readonly secrets: readonly string[]
  /** The number in several spellings. */
  readonly spellings: readonly string[]
}

export const PICTURE_TEXT = 'BEGIN:VCARD FN:Zebulon END:VCARD'

/** An account with a phone, a webhook, a hook and all else that keeps data of persons. */
export async function makeShop(gateway: ServerWithDevices) {
  const shop = await gateway.makeUser()
  const receiver = await startReceiver()
  const record = (collection: string, values: object) =>
    must(shop, 'POST', `/api/collections/${collection}/records`, { user: shop.id, ...values })
  const phone = await gateway.pair(shop)
  const mobile = await joinPhone({ mobileUrl: `${gateway.url}/api/mobile/v1` }, shop)
  const postMms = await mmsPoster(mobile)
  const events = ['message.sent', 'message.delivered', 'message.failed', 'message.received']
  await record('webhooks', { url: receiver.url, events })
  await record('auto_answers', { match: 'any', body: 'We answer soon.' })
  await must(shop, 'POST', '/api/collections/user_settings/records', {
    user: shop.id,
    country: 'DE',
  })
  const group = (await record('contact_groups', { name: 'News', join_words: 'NEWS' })).id
  return { gateway, shop, phone, receiver, record, postMms, group, marks: 0 }
}
export type Shop = Awaited<ReturnType<typeof makeShop>>

/** Stores data of a new person in every place. */
export async function seedPerson(of: Shop): Promise<Seeded> {
  const { gateway, shop, phone, record, group } = of
  const mark = ++of.marks
  const digits = `1511${String(7_000_000 + mark)}`
  const number = `+49${digits}`
  const [name, said, sent, noted] = ['Zebulon', 'Saying', 'Sending', 'Noting'].map(
    (word) => `${word}Xq${mark}y`,
  )
  const spaced = `0${digits.slice(0, 3)} ${digits.slice(3, 7)}-${digits.slice(7)}`
  const contact = (
    await record('contacts', {
      phone: number,
      name,
      groups: [group],
      data: { iban: `IBAN${name}` },
    })
  ).id
  await gateway.hear(phone, [
    [number, `${said} hello`],
    [number, 'NEWS'],
    [number, 'STOP'],
    [number, 'START'],
  ])
  await must(shop, 'POST', '/api/sms/send', {
    recipients: [number],
    body: `${sent} by API`,
    client_ref: `order of ${number}`,
  })
  await until('the answer to NEWS', async () => {
    const welcome = 'select count(*) from sms_messages where "to" = $1'
    return Number((await gateway.query(welcome, [number]))[0]![0]) === 2
  })
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 50 })
  // a line whose texts all fail would get no more
  const reports = (items as { id: string; attempt: number; to: string; body: string }[])
    .filter(({ to }) => to === number)
    .map(({ id, attempt, body }) =>
      body.startsWith(sent!)
        ? { id, attempt, status: 'failed', error_message: `no route to ${number}` }
        : { id, attempt, status: 'sent' },
    )
  await must(phone, 'POST', '/api/devices/report', { items: reports })
  // one that stays open: it is claimed, and one that waits for its time
  await must(shop, 'POST', '/api/sms/send', { recipients: [number], body: `${sent} claimed` })
  await must(phone, 'POST', '/api/devices/claim', { limit: 50 })
  const scheduled_at = '2090-01-01T00:00:00Z'
  await must(shop, 'POST', '/api/sms/send', {
    recipients: [number],
    body: `${sent} later`,
    scheduled_at,
  })
  await must(shop, 'POST', '/api/campaigns', {
    recipients: [number],
    body: `${sent} campaign`,
    name: `For ${name}`,
    scheduled_at,
  })
  await must(shop, 'POST', '/api/campaigns', {
    recipients: [number, '+4915199999999'],
    body: 'For all',
    name: 'All',
    scheduled_at,
  })
  await must(shop, 'POST', '/api/campaigns', {
    body: '{{time}}',
    list: [
      { to: number, values: { time: `${noted} in a list` } },
      { to: '+4915199999999', values: { time: '8 pm' } },
    ],
    scheduled_at,
  })
  await until('the texts of the campaigns', async () => {
    const open = 'select count(*) from campaigns where "user" = $1 and not settled'
    return Number((await gateway.query(open, [shop.id]))[0]![0]) === 0
  })
  await must(shop, 'POST', '/api/verify', { to: number })
  const [conversation] = (
    await must(
      shop,
      'GET',
      `/api/collections/conversations/records?filter=number="${encodeURIComponent(number)}"`,
    )
  ).items
  await record('conversation_notes', { conversation: conversation.id, text: `${noted} in a note` })
  await record('conversation_drafts', {
    conversation: conversation.id,
    text: `${noted} in a draft`,
  })
  const hook = await record('hooks', {
    name: 'Leads',
    preset: 'text',
    recipients: ['+4915188888888', number],
  })
  await must(gateway.guest, 'POST', `/api/hooks/${hook.secret}`, `Lead: ${name}, ${spaced}`)
  await record('webhooks', { url: of.receiver.url, events: ['message.sent'], numbers: number })
  await record('consents', {
    number,
    event: 'opt_in',
    source: 'page',
    shown: 'Yes',
    said: `${said} yes`,
    browser: `Browser of ${name}`,
  })
  const files = [['card.vcf', Buffer.from(`${PICTURE_TEXT} ${name}`), 'text/x-vcard']] as const
  expect(await of.postMms({ ...mms(files), sender: number, body: `${said} picture` })).toBe(204)
  await until('the webhook calls', async () => {
    const open = `select count(*) from webhook_deliveries d join sms_messages m on m.id = d.message
      where d.status = 'pending' and (m."to" = $1 or m."from" = $1)`
    return Number((await gateway.query(open, [number]))[0]![0]) === 0
  })
  return {
    number,
    contact,
    secrets: [name!, said!, sent!, noted!],
    spellings: [number, number.slice(1), `0${digits}`, digits, spaced],
  }
}

/** Waits until the job of a request has ended, and returns the record. */
export const ended = (by: Client, id: string) =>
  until('the end of a request', async () => {
    const record = await must(by, 'GET', `/api/collections/person_requests/records/${id}`)
    return ['done', 'failed'].includes(record.state) && record
  })

/** Waits until the job of an ended request is deleted, which happens after the record says so. */
export const jobDeleted = ({ query }: ServerWithDevices, id: string) =>
  until(
    'the deletion of a job',
    async () => (await query('select from _jobs where key = $1', [id])).length === 0,
  )
