import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import zones from '../../../src/gateway/messages/send/time-zones.json' with { type: 'json' }
import { findPackageFolder } from '../../../src/platform/db/embedded/find-programs.ts'
import { openFolder, openHere } from '../../support/database/embedded.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { stopLater } from '../../support/stops.ts'

// A Postgres without the old names of time zones, as on Debian 13 without tzdata-legacy, and without a new
// one.

const links = readFileSync(
  new URL('../../../sql/functions/time/pb_renamed_zones.sql', import.meta.url),
  'utf8',
)
const renamed: Record<string, string> = JSON.parse(/\{[^}]*\}/.exec(links)![0])
const isMissing = (name: string) =>
  name === 'America/Nuuk' ||
  name === 'America/Santiago' ||
  (name !== 'America/Godthab' && Object.hasOwn(renamed, name.toLowerCase()))

const native = join(openFolder(), 'native')
cpSync(dirname(findPackageFolder()!), native, { recursive: true })
const folder = join(native, 'share/postgresql/timezone')
for (const file of globSync('**/*', { cwd: folder }))
  if (isMissing(file)) rmSync(join(folder, file))
vi.stubEnv('POSTGRES_BIN', join(native, 'bin'))
const postgres = await openHere(join(openFolder(), 'data'))
vi.unstubAllEnvs()
const server = await startServerWithDevices({ DATABASE_URL: postgres.url })
stopLater(() => postgres.close())
const ann = await server.makeUser()
const CONTACTS = '/api/collections/contacts/records'
const known = async (zone: string) =>
  (await server.query('select pb_known_zone($1)', [zone]))[0]![0]
let last = 0
const addContact = (time_zone: string) =>
  ann.call('POST', CONTACTS, {
    user: ann.id,
    phone: `+49151123${String(last++).padStart(5, '0')}`,
    time_zone,
  })

test.each([
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['europe/kiev', 'Europe/Kyiv'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['US/Eastern', 'America/New_York'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Japan', 'Asia/Tokyo'],
  ['GB', 'Europe/London'],
  ['CET', 'Europe/Brussels'],
  ['IST', 'Asia/Kolkata'],
  ['EST5EDT', 'America/New_York'],
  ['America/Nuuk', 'America/Godthab'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['', ''],
])('the time zone %j is stored under the name %j that Postgres knows', async (given, stored) => {
  expect(await addContact(given)).toMatchObject({ status: 200, body: { time_zone: stored } })
})

test.each(['America/Santiago', 'Mars/Olympus', 'Foo+3', 'X5', '+01:00'])(
  'the time zone %s, which Postgres or Node does not know, is refused',
  async (zone) => {
    const { status, body } = await addContact(zone)
    expect([status, body.data?.time_zone.code]).toEqual([400, 'validation_invalid_time_zone'])
    const settings = await ann.call('POST', '/api/collections/user_settings/records', {
      user: ann.id,
      time_zone: zone,
    })
    expect(settings.status).toBe(400)
  },
)

test('each time zone of Node and of calling codes has a name that this Postgres knows', async () => {
  const names = [...Intl.supportedValuesOf('timeZone'), ...Object.values(zones)].sort()
  const unknown = []
  for (const name of new Set(names)) if ((await known(name)) === '') unknown.push(name)
  expect(unknown).toEqual(['America/Santiago'])
})

test('names mean the same hour to Node as to Postgres', async () => {
  const instants = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']
  const wrong = []
  for (const name of [...Object.keys(renamed), ...Intl.supportedValuesOf('timeZone')]) {
    for (const at of instants) {
      const here = new Intl.DateTimeFormat('sv', {
        timeZone: name,
        dateStyle: 'short',
        timeStyle: 'short',
      }).format(new Date(at))
      const [[there]] = (await server.query(
        `select to_char($1::timestamptz at time zone nullif(pb_known_zone($2), ''), 'YYYY-MM-DD HH24:MI')`,
        [at, name],
      )) as [[string | null]]
      if (there !== null && there !== here) wrong.push([name, at, here, there])
    }
  }
  expect(wrong).toEqual([])
})

test('a text that was stored by another Postgres waits by the new name of its time zone', async () => {
  const phone = await server.pair(ann, { platform: 'android' })
  await must(ann, 'POST', '/api/collections/user_settings/records', {
    user: ann.id,
    time_zone: 'UTC',
    quiet_from: '00:00',
    quiet_to: '23:59',
  })
  await must(ann, 'POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body: 'hi',
    quiet_hours: true,
  })
  await server.query(
    `update sms_dispatch set quiet_zone = 'Asia/Calcutta', state = 'assigned', waiting_for = '', device = $1`,
    [phone.id],
  )
  expect((await phone.call('POST', '/api/devices/claim', {})).body).toEqual({ items: [] })
  // the server's own sweep may have locked the row, which this call then skips
  await vi.waitFor(async () => {
    await server.query('select sms_return_stale(10)')
    expect(await server.query('select waiting_for from sms_dispatch')).toEqual([['quiet_hours']])
  }, 10_000)
})

test('stored time zones that Postgres does not know are found', async () => {
  await server.query(`insert into contacts (id, "user", phone, time_zone) values
    ('zonezonezone001', '${ann.id}', '+4915100000001', 'America/Santiago'),
    ('zonezonezone002', '${ann.id}', '+4915100000002', 'Asia/Calcutta')`)
  expect(await server.query('select sms_unknown_zones()')).toEqual([['America/Santiago']])
})
