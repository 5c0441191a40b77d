import { foldName } from '../../../src/portable/fold-text.ts'
import { startConsentFixture } from '../../support/consent-fixture.ts'
import { must } from '../../support/server/server-with-devices.ts'

const { server, ann, record, nextNumber } = await startConsentFixture()

const SPELLINGS = [
  'Größe',
  'Gro\u0308ße',
  'GRÖSSE',
  'GRÖẞE',
  'Ｇｒöße',
  'Grö\u200bße',
  'Gr\u00adöße',
  '\u2066Größe\u2069',
  '\u00a0Größe ',
]
const OTHERS = ['Grosse', 'Größen', 'Gr öße', 'Groesse']

/** The status and, if the name is refused, why. */
async function create(collection: string, values: object): Promise<string> {
  const path = `/api/collections/${collection}/records`
  const { status, body } = await ann.call('POST', path, { user: ann.id, ...values })
  return status === 200 ? 'stored' : (body.data.name?.code ?? body.data.choices?.code ?? status)
}

const TAKEN = ['labels', 'contact_groups', 'contact_fields']

test.each(TAKEN)(
  '%s of an account have one name once, however it is spelled',
  async (collection) => {
    const more = collection === 'contact_fields' ? { type: 'text' } : {}
    expect(await create(collection, { name: SPELLINGS[0], ...more })).toBe('stored')
    for (const name of SPELLINGS.slice(1))
      expect(await create(collection, { name, ...more }), name).toBe('validation_not_unique')
    for (const name of OTHERS)
      expect(await create(collection, { name, ...more }), name).toBe('stored')
  },
)

test.each(['labels', 'contact_groups'])(
  'twins of %s that exist stay, and can be changed',
  async (collection) => {
    const made = [
      await record(collection, { name: 'Zürich' }),
      await record(collection, { name: 'x' }),
    ]
    const twin = 'Zu\u0308rich'
    const sql = `update ${collection} set name = $1 where id = $2`
    await server.server.services.store.db.query(sql, [twin, made[1]!.id])
    const path = `/api/collections/${collection}/records/${made[1]!.id}`
    const more = collection === 'labels' ? { color: 'red' } : { requires_consent: true }
    expect((await ann.call('PATCH', path, { name: twin, ...more })).status).toBe(200)
    expect((await ann.call('PATCH', path, { name: 'ZÜRICH' })).status).toBe(400)
    // a record may take another spelling of its own name
    await must(ann, 'DELETE', `/api/collections/${collection}/records/${made[0]!.id}`)
    expect((await ann.call('PATCH', path, { name: 'ZÜRICH' })).status).toBe(200)
  },
)

test('a choice is stored as it is defined, however a value spells it', async () => {
  const choices = ['Größe', 'Zürich West']
  expect(
    await create('contact_fields', {
      name: 'Ort',
      type: 'choice',
      choices: [...choices, 'gröſſe'],
    }),
  ).toBe('validation_invalid_contact_field')
  await record('contact_fields', { name: 'Ort', type: 'choice', choices })
  for (const given of [...SPELLINGS, 'Zu\u0308rich\u00a0West', 'ＺÜＲＩＣＨ　ＷＥＳＴ']) {
    const { id } = await record('contacts', { phone: nextNumber(), data: { Ort: given } })
    const { data } = await must(ann, 'GET', `/api/collections/contacts/records/${id}`)
    expect(data).toEqual({
      Ort: given.includes('W') || given.includes('Ｗ') ? choices[1] : choices[0],
    })
  }
})

test('a variable finds the field and the given value, however either is spelled', async () => {
  const phone = nextNumber()
  await record('contacts', { phone, name: 'Anna', data: { Größe: 'M' } })
  const preview = async (body: string, variables: object) =>
    (await must(ann, 'POST', '/api/sms/preview', { recipients: [phone], body, variables })).body
  for (const name of SPELLINGS) {
    expect(await preview(`{{${name}}}`, {}), name).toBe('M')
    expect(await preview('{{Größe}}', { [name]: 'L' }), name).toBe('L')
  }
  expect(await preview('{{ｎａｍｅ}} {{NA\u200bME}}', {})).toBe('Anna Anna')
  expect(await preview('{{a}} {{A}}', { a: '1', A: '2' })).toBe('1 2')
})

test('filters with :fold find a name in each of its spellings', async () => {
  const spelled = 'Wien\u00a0Su\u0308d Ｌodz\u0301'
  await record('sms_templates', { name: spelled, body: 'x' })
  for (const asked of ['Wien Süd', 'wien sud', 'łódź', 'ｗｉｅｎ', 'Su\u0308d Lodz']) {
    const filter = encodeURIComponent(`name:fold ~ "${asked}"`)
    const { items } = await must(
      ann,
      'GET',
      `/api/collections/sms_templates/records?filter=${filter}`,
    )
    expect(
      items.map((one: { name: string }) => one.name),
      asked,
    ).toEqual([spelled])
  }
})

test.each([
  ['क़', 'क', false],
  ['أحمد', 'احمد', false],
  ['が', 'か', false],
  ['が', 'か\u3099', true],
  ['ที่', 'ที', false],
  ['Đà Nẵng', 'đà nẵng', true],
  ['Đà Nẵng', 'Da Nang', false],
  ['İzmir', 'izmir', true],
  ['ISPARTA', 'ısparta', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['ﬁn', 'fin', true],
  ['Łódź', 'Lodz', false],
])('the names %s and %s are the same: %s', (one, other, is) => {
  expect(foldName(one) === foldName(other)).toBe(is)
})
