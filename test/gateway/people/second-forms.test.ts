import { listStoredSpellings } from '../../../src/gateway/people/number-spellings.ts'
import { tablesWith } from '../../support/database/dump.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { ended, makeShop, seedPerson } from './person-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { db } = gateway.server.services.store

test.each([
  ['+4915112345678', ['+49015112345678']],
  ['+525512345678', ['+5215512345678', '+52015512345678', '+520445512345678', '+520455512345678']],
  ['+5493514567890', ['+543514567890', '+54351154567890', '+549351154567890']],
  ['+5511987654321', ['+551187654321']],
  ['+2250707123456', ['+22507123456']],
  ['+393391234567', ['+3903391234567']],
  ['+36201234567', ['+3606201234567']],
  ['0151 20000010', []],
])('the data of %s may be stored under %s', (number, forms) => {
  expect(listStoredSpellings(number)).toEqual(expect.arrayContaining([number, ...forms]))
})

test('an erasure by a number removes the data under its second form', async () => {
  const of = await makeShop(gateway)
  const person = await seedPerson(of)
  const second = person.number.replace('+49', '+490')
  const rename = async (table: string, column: string) => {
    // as an older version stored the rows
    await gateway.query(`alter table ${table} disable trigger user`)
    await gateway.query(`update ${table} set ${column} = $2 where ${column} = $1`, [
      person.number,
      second,
    ])
    await gateway.query(`alter table ${table} enable trigger user`)
  }
  for (const table of [
    'conversations',
    'consents',
    'consent_states',
    'line_recipients',
    'auto_answers_sent',
  ])
    await rename(table, 'number')
  await rename('contacts', 'phone')
  await rename('verifications', '"to"')
  await rename('sms_messages', '"to"')
  await rename('sms_messages', '"from"')
  for (const [table, column] of [
    ['hooks', 'recipients'],
    ['campaigns', 'recipients'],
    ['campaigns', 'audience'],
    ['webhooks', 'numbers'],
  ])
    await gateway.query(
      `update ${table} set ${column} = replace(${column}::text, $1, $2)::${table === 'webhooks' ? 'text' : 'json'}`,
      [person.number, second],
    )
  const asked = { number: person.number, reason: 'Asked' }
  const { id } = await must(of.shop, 'POST', '/api/person/erase', asked)
  expect(await ended(of.shop, id)).toMatchObject({ state: 'done', number: '' })
  expect(await tablesWith(db, [...person.secrets, ...person.spellings, second])).toEqual([])
  const { stopped } = await must(of.shop, 'POST', '/api/person/erase', {
    number: second,
    preview: true,
  })
  expect(stopped).toBe(true)
})

test('an erasure by a number removes a conversation under the national number of an account that had no country', async () => {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  await gateway.hear(phone, [['0151 7654 3210', 'Zebulon calls']])
  await must(user, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    country: 'DE',
  })
  const { id } = await must(user, 'POST', '/api/person/erase', {
    number: '+4915176543210',
    reason: 'Asked',
  })
  expect(await ended(user, id)).toMatchObject({ state: 'done', number: '' })
  expect(await tablesWith(db, ['Zebulon calls', '0151 7654 3210', '015176543210'])).toEqual([])
})

test('an erasure removes a contact in national form beside that in E.164, and its preview counts both', async () => {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  // the first as an older version stored it
  const [[old]] = (await gateway.query(
    `insert into contacts (id, "user", phone, name, created, updated)
    select pb_new_id(), $1, n, 'Zebulonia', pb_text(now()), pb_text(now())
    from unnest(array['015176543211', '+4915176543211']) n returning id`,
    [user.id],
  )) as [[string]]
  await gateway.hear(phone, [['0151 7654 3211', 'Zebulonia calls']])
  await must(user, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    country: 'DE',
  })
  const found = await must(user, 'POST', `/api/contacts/${old}/erase`, { preview: true })
  expect(found.number).toBe('+4915176543211')
  expect(found.places).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ place: 'contacts', count: 2 }),
      expect.objectContaining({ place: 'sms_messages', count: 1 }),
      expect.objectContaining({ place: 'conversations', count: 1 }),
    ]),
  )
  const asked = { number: '+4915176543211', reason: 'Asked' }
  const { id } = await must(user, 'POST', '/api/person/erase', asked)
  expect(await ended(user, id)).toMatchObject({ state: 'done' })
  expect(await tablesWith(db, ['Zebulonia', '015176543211', '15176543211'])).toEqual([])
})
