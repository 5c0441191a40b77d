import { foldName } from '../../../src/portable/fold-text.ts'
import { startConsentFixture } from '../../support/consent-fixture.ts'
import { request } from '../../support/server/request.ts'
import { must } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const { server, ann, phone: device, record, nextNumber } = await startConsentFixture()

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

const CHANGES: Readonly<Record<string, object>> = {
  labels: { color: 'red' },
  contact_groups: { requires_consent: true },
  verify_services: { code_length: 8 },
}
const TAKEN = ['labels', 'contact_groups', 'contact_fields', 'verify_services']

test.each(TAKEN)(
  '%s of an account have one name once, however it is spelled',
  async (collection) => {
    const more = collection === 'contact_fields' ? { type: 'text' } : {}
    expect(await create(collection, { name: SPELLINGS[0], ...more })).toBe('stored')
    for (const name of SPELLINGS.slice(1)) {
      // as PocketBase answers
      const isOther = collection === 'contact_groups' && name === name.toUpperCase()
      const expected = isOther ? 'stored' : 'validation_not_unique'
      expect(await create(collection, { name, ...more }), name).toBe(expected)
    }
    for (const name of OTHERS)
      expect(await create(collection, { name, ...more }), name).toBe('stored')
  },
)

test.each(['labels', 'contact_groups', 'verify_services'])(
  'twins of %s that exist stay, and can be changed',
  async (collection) => {
    const made = [
      await record(collection, { name: 'Zürich' }),
      await record(collection, { name: 'x' }),
    ]
    const twin = 'Zu\u0308rich'
    await server.server.services.store.db.transaction(async (db) => {
      await db.query(`alter table ${collection} disable trigger user`)
      await db.query(`update ${collection} set name = $1 where id = $2`, [twin, made[1]!.id])
      await db.query(`alter table ${collection} enable trigger user`)
    })
    const path = `/api/collections/${collection}/records/${made[1]!.id}`
    const more = CHANGES[collection]
    expect((await ann.call('PATCH', path, { name: twin, ...more })).status).toBe(200)
    expect((await ann.call('PATCH', path, { name: 'Zü\u200brich' })).status).toBe(400)
    // a record may take another spelling of its own name
    await must(ann, 'DELETE', `/api/collections/${collection}/records/${made[0]!.id}`)
    expect((await ann.call('PATCH', path, { name: 'Zü\u200brich' })).status).toBe(200)
  },
)

test('a choice is stored in its defined spelling, however a value spells it', async () => {
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

/** A text of Ann's that names something in one spelling, to a contact whose field `Größe` is M. */
interface Naming {
  readonly name: string
  readonly phone: string
  readonly key: string
}
const byKey = async ({ key }: Naming, path: string, body: object) => {
  const accept = 'application/json, text/event-stream'
  const answer = await request(server.url, 'POST', path, body, { 'x-api-key': key, accept })
  expect(answer.status, answer.text).toBeLessThan(300)
}
const asEagle = async ({ key }: Naming, method: string, values: Record<string, string>) => {
  const query = new URLSearchParams({ access_token: key, message: 'M', ...values })
  const answer = await request(server.url, 'GET', `/http_api/${method}?${query}`)
  expect(answer.text).toMatch(/^OK/)
}
const makeTemplate = ({ name }: Naming) =>
  record('sms_templates', { name: 'One', body: `{{${name}}}` })
const makeGroup = async ({ phone }: Naming, name: string) => {
  const group = await record('contact_groups', { name })
  const filter = encodeURIComponent(`phone = "${phone}"`)
  const path = '/api/collections/contacts/records'
  const { items } = await must(ann, 'GET', `${path}?filter=${filter}`)
  await must(ann, 'PATCH', `${path}/${items[0].id}`, { groups: [group.id] })
}
const useTool = (one: Naming, name: string, values: object) =>
  byKey(one, '/mcp', [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } },
  ] as object)

const WAYS: readonly (readonly [title: string, send: (one: Naming) => Promise<unknown>])[] = [
  [
    'a text',
    (one) =>
      byKey(one, '/api/sms/send', {
        recipients: [one.phone],
        body: `{{${one.name}}}`,
        variables: {},
      }),
  ],
  [
    'a template',
    async (one) =>
      byKey(one, '/api/sms/send-template', {
        recipients: [one.phone],
        template_id: (await makeTemplate(one)).id,
      }),
  ],
  [
    'a campaign',
    ({ phone, name }) =>
      must(ann, 'POST', '/api/campaigns', {
        recipients: [phone],
        body: `{{${name}}}`,
        variables: {},
      }),
  ],
  [
    'an assistant',
    async (one) =>
      useTool(one, 'send_template', {
        recipients: [one.phone],
        template_id: (await makeTemplate(one)).id,
      }),
  ],
  [
    'Vendel’s interface',
    async (one) =>
      byKey(one, '/vendel/api/sms/send-template', {
        recipients: [one.phone],
        template_id: (await makeTemplate(one)).id,
      }),
  ],
  [
    'an automatic answer',
    async ({ name, phone }) => {
      const value = `ask${phone.slice(1)}`
      const body = `{{${name}}}`
      await record('auto_answers', { match: 'words', value, body, enabled: true })
      await server.hear(device, [[phone, value]])
    },
  ],
  [
    'a hook that names a group',
    async (one) => {
      await makeGroup(one, `Größe ${one.phone}`)
      const hook = { name: 'Alarm', preset: 'text', recipients_from: 'to' }
      const { secret } = (await record('hooks', hook)) as unknown as { secret: string }
      await byKey(one, `/api/hooks/${secret}`, { to: `${one.name} ${one.phone}`, text: 'M' })
    },
  ],
  [
    'SMSEagle’s interface to a group',
    async (one) => {
      await makeGroup(one, `Größe${one.phone}`)
      await asEagle(one, 'send_togroup', { groupname: one.name + one.phone })
    },
  ],
  [
    'SMSEagle’s interface to a contact',
    (one) => asEagle(one, 'send_tocontact', { contactname: one.name + one.phone }),
  ],
]

test.each(WAYS)('%s finds what it names in each spelling', async (_, send) => {
  const { key } = (await record('api_keys', { name: 'App', scopes: ['all:any'] })) as unknown as {
    key: string
  }
  for (const spelling of SPELLINGS) {
    const [phone, name] = [nextNumber(), spelling.trim()]
    await record('contacts', { phone, name: `Größe${phone}`, data: { Größe: 'M' } })
    await send({ name, phone, key })
    const words = `select body from sms_messages where "to" = $1`
    const sent = await until('a text', async () => {
      const rows = await server.query(words, [phone])
      return rows.length > 0 && rows
    })
    expect(sent, name).toEqual([['M']])
  }
})

test('a contact in exactly these letters goes first, and twins in others are several', async () => {
  const { key } = (await record('api_keys', { name: 'App', scopes: ['all:any'] })) as unknown as {
    key: string
  }
  const exact = nextNumber()
  await record('contacts', { phone: exact, name: 'Łukasz' })
  await record('contacts', { phone: nextNumber(), name: 'ŁUKASZ' })
  const ask = async (contactname: string) => {
    const query = new URLSearchParams({ access_token: key, message: 'M', contactname })
    return (await request(server.url, 'GET', `/http_api/send_tocontact?${query}`)).text
  }
  expect(await ask('Łukasz')).toMatch(/^OK/)
  expect(await server.query('select body from sms_messages where "to" = $1', [exact])).toEqual([
    ['M'],
  ])
  expect(await ask('łukasz')).toBe('Wrong parameters: Several contacts are called "łukasz"')
  expect(await ask('Lukasz')).toBe('Wrong parameters: No contact is called "Lukasz"')
})
