import {
  type DecidedState,
  formatRecordTime,
  hasStopped,
  STOPPED,
} from '../../../console/src/data/opt-out/has-stopped.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })
type Found = DecidedState & { readonly id: string; readonly opted_out: boolean }

const record = (collection: string, values: object) =>
  must(ann, 'POST', `/api/collections/${collection}/records`, { user: ann.id, ...values })
const list = async (collection: string, filter: string, expand = ''): Promise<Found[]> => {
  const query = new URLSearchParams({ filter, expand })
  return (await must(ann, 'GET', `/api/collections/${collection}/records?${query}`)).items
}
const news = await record('contact_groups', { name: 'News', join_words: 'NEWS' })
const club = await record('contact_groups', {
  name: 'Club',
  join_words: 'CLUB',
  join_confirm: true,
})

const hear = (...bodies: string[]) => ({
  words: bodies.join(', '),
  run: (number: string) =>
    server.hear(
      phone,
      bodies.map((body) => [number, body] as const),
    ),
})
const forget = {
  words: 'the contact is deleted',
  async run(number: string) {
    for (const { id } of await list('contacts', `phone = "${number}"`))
      await must(ann, 'DELETE', `/api/collections/contacts/records/${id}`)
  },
}
const enter = (event: string, group = '', source = 'page') => ({
  words: `${event} by ${source}${group && ' of a group'}`,
  run: (number: string) => record('consents', { number, event, group, source, shown: 'Yes' }),
})

let numbers = 64_000_000

test.each([
  [[]],
  [[hear('Hello')]],
  [[hear('STOP'), forget]],
  [[hear('STOP'), forget, hear('START')]],
  [[hear('STOP'), forget, hear('START'), forget]],
  [[hear('STOP'), forget, hear('NEWS')]],
  [[hear('STOP'), forget, hear('NEWS'), forget]],
  [[hear('STOP'), forget, hear('CLUB')]],
  [[hear('STOP'), forget, hear('CLUB', 'YES'), forget]],
  [[hear('NEWS', 'STOP'), forget]],
  [[enter('opt_out')]],
  [[enter('opt_out'), forget]],
  [[enter('opt_out', news.id), forget]],
  [[enter('opt_out'), forget, enter('opt_in', club.id, 'api')]],
  [[enter('opt_out'), forget, enter('opt_in')]],
])(
  'the console shows a number without a contact as the server treats it after %j',
  async (deeds) => {
    const number = `+4915${numbers++}`
    for (const { run } of deeds) await run(number)
    const { opted_out } = await must(ann, 'POST', '/api/sms/preview', {
      recipients: [number],
      body: 'Hello',
    })
    const filter = `number = "${number}"`
    const [contact] = await list('contacts', `phone = "${number}"`)
    const states = await list('consent_states', filter, 'entry')
    const shown = contact?.opted_out ?? hasStopped(states, formatRecordTime(Date.now()))
    expect(shown).toBe(opted_out === 1)
    // the states that are read first name each number that may have opted out
    if (shown && !contact)
      expect(await list('consent_states', `${filter} && ${STOPPED}`)).toHaveLength(1)
  },
)
