import type { Composition } from '../../console/src/pages/send/composition.ts'
import { BLANK, makeRequest } from '../../console/src/pages/send/composition.ts'
import { openMmsServer, SMALL } from '../gateway/messages/send/mms-fixture.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { readCatalogue } from './catalogues.ts'
import { readSource, sources } from './texts.ts'

const server = await startServerWithDevices()
const { user, line } = await openMmsServer(server).makeShop()
const record = (collection: string, values: object) =>
  must(user, 'POST', `/api/collections/${collection}/records`, { user: user.id, ...values })

const group = await record('contact_groups', { name: 'Guests' })
const person = { phone: '+4915120000010', groups: [group.id] }
await record('contacts', person)
await record('consents', { number: person.phone, event: 'opt_in', source: 'page', shown: 'Yes' })
const template = await record('sms_templates', { name: 'Hello', body: 'Hello' })
const device = (await must(user, 'GET', '/api/collections/devices/records')).items[0].id

/** Each choice of the page Send, but how many people get the text. */
const CHOICES: Readonly<Record<string, Partial<Composition>>> = {
  pictures: {},
  campaign: { isCampaign: true, name: 'Sale' },
  repeat: { repeat: { cron: '0 9 * * *', time_zone: '', missed: 'skip', until: '' } },
  consent: { needsConsent: true },
  later: { isLater: true, at: '2099-11-21T08:30' },
  group: { groups: [group.id] },
  template: { kind: 'template', template: template.id, text: '' },
  line: { line },
  device: { device },
  'give up': { giveUp: '3600' },
  priority: { priority: '5' },
  guarantee: { guarantee: 'at_least_once' },
  'quiet hours': { isQuiet: true },
}

const BASE = { ...BLANK, recipients: [{ phone: person.phone, name: '' }], text: 'Hello' }
const names = Object.keys(CHOICES)
const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))

/** Posts a body, with a picture in a form as the SDK makes it. */
async function post(path: string, body: object, hasPictures: boolean) {
  if (!hasPictures) return user.call('POST', path, body)
  const form = new FormData()
  form.append('@jsonPayload', JSON.stringify(body))
  form.append('attachments', new Blob([new Uint8Array(SMALL)]), 'parcel.jpg')
  const headers = { authorization: user.token }
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: form })
  return { status: answer.status, body: await answer.json() }
}

/** Sends as the page does: as a campaign if it has a name, repeats or requires consent. */
async function send(composition: Composition, hasPictures: boolean) {
  const { ttl, ...request } = makeRequest(composition, [])
  const isCampaign = 'name' in request || 'repeat' in request || 'requires_consent' in request
  const plain = 'template_id' in request ? '/api/sms/send-template' : '/api/sms/send'
  const expiry = isCampaign ? { expires_at: '2099-12-24 08:00:00.000Z' } : { ttl: Number(ttl) }
  const body = { ...request, ...(ttl !== undefined && expiry) }
  return post(isCampaign ? '/api/campaigns' : plain, body, hasPictures)
}

/** Pairs of choices that the server refuses together: the form would have to keep both, and say why. */
const EXCLUDED: readonly string[] = []

test.each(pairs)('the page Send sends %s together with %s', async (one, other) => {
  const composition = { ...BASE, ...CHOICES[one], ...CHOICES[other] }
  const { status, body } = await send(composition, [one, other].includes('pictures'))
  const isRefused = EXCLUDED.includes(`${one}, ${other}`)
  expect(status >= 400, JSON.stringify(body)).toBe(isRefused)
})

const german = readCatalogue('de', 'pages')

/**
 * The rows of all forms whose value is not stored while another choice hides them, by file and field, with
 * the sentence that says so. Other hidden rows are stored as they were typed.
 */
const LOST: Readonly<Record<string, string>> = {
  'pages/answers/page.tsx value': 'If you save now, the words {words} are lost.',
  'pages/answers/page.tsx body': 'If you save now, your own text is lost: {text}',
  'pages/contact-fields/page.tsx choices': 'If you save now, the values to choose from are lost.',
  // the choice itself is stored instead
  'pages/backups/storage.tsx backups.cron': 'Automatic backups',
}

test('each form names the fields that it does not store because of another choice', () => {
  const found = sources().flatMap((file) => {
    const rows = readSource(file).split(/(?=\bname: ')/)
    const lost = rows.filter((row) => /\bshown: /.test(row) && /\bwrite: \(typed, /.test(row))
    return lost.map((row) => `${file} ${/name: '([^']+)'/.exec(row)?.[1]}`)
  })
  expect(found.sort()).toEqual(Object.keys(LOST).sort())
  for (const [row, sentence] of Object.entries(LOST)) {
    expect(readSource(row.split(' ')[0]!)).toContain(sentence)
    expect(german[sentence]).toBeDefined()
  }
})
