import { countCodes } from '../../../src/gateway/codes/limits/count-codes.ts'
import { ANN, as, startServerWithUsers } from '../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const headers = await server.signedIn('users', ANN.id)
const RECORDS = '/api/collections/verify_services/records'
const SETTINGS = '/api/collections/user_settings/records'

let last = 15_100_000
const numbers = (count: number, code = '+49') =>
  Array.from({ length: count }, () => `${code}${last++}`)
const start = async (to: string, more: object = {}) => {
  const { status, body } = await server.ask('POST', '/api/verify', { to, ...more }, as(ANN))
  return status === 200 ? 'sent' : body.error
}
const startAll = async (to: readonly string[], more: object = {}) =>
  (await Promise.all(to.map((one) => start(one, more)))).filter((outcome) => outcome === 'sent')
    .length
const service = async (values: object): Promise<string> => {
  const body = { user: ANN.id, name: `s${last++}`, ...values }
  return (await server.ask('POST', RECORDS, body, headers)).body.id
}
/** Sets bounds of the account's codes, as its owner does. */
const bound = async (values: object) => {
  const { body } = await server.ask('GET', SETTINGS, undefined, headers)
  const { status } = await server.ask('PATCH', `${SETTINGS}/${body.items[0].id}`, values, headers)
  expect(status).toBe(200)
}
const setLine = (number: string) =>
  server.rows('update lines set number = $2 where "user" = $1', [ANN.id, number])
const kept = async () =>
  (
    await server.rows(
      'select (select count(*) from verifications), (select count(*) from sms_messages)',
    )
  )[0]

beforeEach(async () => {
  await setLine('')
  for (const table of ['verify_services', 'verifications', 'auth_tries', '_jobs', 'user_settings'])
    await server.rows(`delete from ${table}`)
  await server.ask('POST', SETTINGS, { user: ANN.id }, headers)
})

test.each([
  ['', '', '+4915112345678', 'sent'],
  ['', '', '+881612345678', 'destination_not_allowed'],
  ['', '', '+78401234567', 'destination_not_allowed'],
  ['', '+4915550000001', '+4915112345679', 'sent'],
  ['', '+4915550000001', '+436601234567', 'destination_not_allowed'],
  ['', '+12125550100', '+14165550100', 'sent'],
  ['', '+12125550100', '+18765550100', 'destination_not_allowed'],
  ['', '+79161234567', '+77011234567', 'destination_not_allowed'],
  ['', 'Acme', '+33612345678', 'sent'],
  ['+43', '+4915550000001', '+436601234568', 'sent'],
  ['+43', '+4915550000001', '+4915112345670', 'destination_not_allowed'],
  ['-49', '', '+43660123456', 'sent'],
  ['-49', '', '+88216123456', 'destination_not_allowed'],
  ['+8', '', '+881612345678', 'destination_not_allowed'],
  ['+43,+8816', '', '+881612345678', 'sent'],
  ['+43,+8816', '', '+881712345678', 'destination_not_allowed'],
  ['', '+12125550100', '+19005551234', 'destination_not_allowed'],
  ['', '', '+19001234567', 'destination_not_allowed'],
  ['', '', '+491371234567', 'destination_not_allowed'],
  ['+41', '', '+41900123456', 'destination_not_allowed'],
])(
  'with code_destinations "%s" and a line of "%s" a code to %s is %s',
  async (code_destinations, line, to, outcome) => {
    await setLine(line)
    await bound({ code_destinations })
    const before = await kept()
    expect(await start(to)).toBe(outcome)
    if (outcome !== 'sent') expect(await kept()).toEqual(before)
  },
)

test('an API key cannot use up the tries of a code outside its destinations', async () => {
  const [to] = numbers(1)
  const { id } = (await server.ask('POST', '/api/verify', { to }, as(ANN))).body
  const values = { user: ANN.id, name: 'bounded', destinations: '+43' }
  const { body: key } = await server.ask(
    'POST',
    '/api/collections/api_keys/records',
    values,
    headers,
  )
  for (const named of [{ to }, { id }])
    for (const [route, more] of [['check', { code: '000000' }] as const, ['cancel', {}] as const]) {
      const refused = await server.ask(
        'POST',
        `/api/verify/${route}`,
        { ...named, ...more },
        as(key),
      )
      expect(refused).toMatchObject({ status: 403, body: { error: 'destination_not_allowed' } })
    }
  const left = await server.rows('select status, attempts from verifications where id = $1', [id])
  expect(left).toEqual([['pending', 0]])
  const unknown = { id: 'a'.repeat(15), code: '000000' }
  expect((await server.ask('POST', '/api/verify/check', unknown, as(key))).body.status).toBe(
    'expired',
  )
})

test('a number gets five codes an hour from 12 services together, also concurrently', async () => {
  const services = await Promise.all(Array.from({ length: 12 }, () => service({})))
  const [to] = numbers(1)
  const outcomes = await Promise.all(services.map((id) => start(to!, { service: id })))
  expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(1)
  for (const id of services) {
    await server.rows(`delete from auth_tries where key like '% pause'`)
    await start(to!, { service: id })
  }
  expect(
    await server.rows('select sum(sends)::int from verifications where "to" = $1', [to]),
  ).toEqual([[5]])
  expect(await start(to!, { service: services[0] })).toBe('number_limit_reached')
})

test('codes per network and account are limited exactly over all services, also concurrently', async () => {
  await bound({ code_max_per_network: 3, code_max_per_account: 7 })
  const named = { service: await service({}) }
  expect(await startAll(numbers(12), { ...named, ip: '2001:db8::7' })).toBe(3)
  expect(await start(numbers(1)[0]!, { ...named, ip: '2001:db8::99' })).toBe('sender_limit_reached')
  expect(await startAll(numbers(12), { ...named, ip: '198.51.100.1' })).toBe(3)
  expect(await startAll(numbers(12), { service: await service({}) })).toBe(1)
  await server.rows(`update auth_tries set ends = now() where key like 'code %'`)
  expect(await start(numbers(1)[0]!, named)).toBe('sent')
})

test('codes, pages and words together use at most their share of the quota', async () => {
  const usage = (await server.ask('GET', 'usage', undefined, as(ANN))).body
  await server.rows('update users set monthly_quota = $2 where id = $1', [ANN.id, usage.used + 100])
  const share = Math.ceil((4 * 100) / (usage.used + 100))
  const allowed = Math.floor((share * (usage.used + 100)) / 100)
  await bound({ code_quota_share: share })
  expect(await startAll(numbers(allowed + 5))).toBe(allowed)
  expect(await start(numbers(1)[0]!, { service: await service({}) })).toBe('quota_exceeded')
  const { store, config } = server.services
  const codes = { user: ANN.id, phones: numbers(1), ip: '' }
  for (const asker of ['code', 'page', 'word'] as const)
    await expect(countCodes(store, config, { ...codes, asker }), asker).rejects.toThrow(/quota/i)
  await bound({ code_quota_share: 0 })
  expect(await start(numbers(1)[0]!)).toBe('sent')
  await server.rows('update users set monthly_quota = 0 where id = $1', [ANN.id])
})

/** Verifications of a country, made so many minutes ago. */
const add = (
  id: string,
  count: number,
  status: string,
  minutes = 0,
  country = '+49',
  attempts = 1,
) =>
  server.rows(
    `insert into verifications (id, "user", service, "to", country, channel, status, attempts, created, updated)
    select pb_new_id(), $1, $2, $6 || i, $6, 'sms', $3, $7, pb_text(clock_timestamp() - $5 * interval '1 minute'), ''
    from generate_series(1, $4) i`,
    [ANN.id, id, status, count, minutes, country, attempts],
  )

/** The id of a message that failed. */
async function failedMessage(): Promise<string> {
  await start(numbers(1, '+44')[0]!)
  const sql = `update sms_messages set status = 'failed', error_message = 'Canceled'
    where id = (select max(id) from sms_messages) returning id`
  return String((await server.rows(sql))[0]![0])
}

test('a country with too few entered codes is stopped until the owner allows it again', async () => {
  await bound({ code_approval_floor: 50 })
  const id = await service({})
  // the jobs themselves are done at once
  await server.rows('create table mails (holder text, country text)')
  await server.rows(`create function note_mail() returns trigger language plpgsql as $$ begin
    insert into mails values (new.holder, new.payload -> 0 ->> 'stoppedCountry'); return null; end $$`)
  await server.rows(`create trigger note_mail after insert on _jobs for each row
    when (new.kind = 'alarm_mail') execute function note_mail()`)
  const stopped = async () =>
    (await server.ask('GET', SETTINGS, undefined, headers)).body.items[0].code_stopped
  await add(id, 9, 'expired')
  await add(id, 10, 'approved', 10)
  await add(id, 50, 'pending')
  await add(id, 50, 'canceled')
  await server.rows(`update verifications set message = $1 where status = 'canceled'`, [
    await failedMessage(),
  ])
  await add(id, 50, 'expired', 1_500)
  expect(await start(numbers(1)[0]!, { service: id })).toBe('sent')
  // a change of the service or of other settings does not begin the count again
  await server.ask('PATCH', `${RECORDS}/${id}`, { name: 'renamed' }, headers)
  await bound({ time_zone: 'Europe/Berlin', code_counted_from: '2099-01-01 00:00:00.000Z' })
  // twenty of which a half is approved
  await add(id, 1, 'expired')
  expect(await start(numbers(1)[0]!, { service: id })).toBe('sent')
  await add(id, 1, 'pending', 4)
  expect(await startAll(numbers(10), { service: id })).toBe(0)
  expect(await start(numbers(1)[0]!, { service: id })).toBe('destination_stopped')
  expect(await stopped()).toBe('+49')
  expect(await start(numbers(1)[0]!, { service: await service({}) })).toBe('destination_stopped')
  expect(await start(numbers(1, '+43')[0]!, { service: id })).toBe('sent')
  expect(await server.rows('select * from mails')).toEqual([[ANN.id, '+49']])
  await bound({ code_stopped: '' })
  expect(await start(numbers(1)[0]!, { service: id })).toBe('sent')
  // those that were canceled after their text had left count
  await add(id, 30, 'canceled')
  expect(await start(numbers(1)[0]!, { service: id })).toBe('destination_stopped')
})

test('verifications that were approved without their codes count as not approved', async () => {
  await bound({ code_approval_floor: 50, code_stopped: '' })
  const id = await service({})
  await add(id, 20, 'approved', 0, '+47')
  expect(await start(numbers(1, '+47')[0]!, { service: id })).toBe('sent')
  await add(id, 20, 'approved', 0, '+47', 0)
  expect(await start(numbers(1, '+47')[0]!, { service: id })).toBe('destination_stopped')
})
