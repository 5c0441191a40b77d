import {
  type Attack,
  type AttackRun,
  addContacts,
  asUser,
  byGuest,
  byUser,
  must,
} from './attack.ts'
import { flood, floodPaths, query } from './sockets.ts'

// Lists whose filter, sort or page takes the database or the compiler long.

const CONTACTS = '/api/collections/contacts/records'
const OVER_AND_OVER = 'user.contacts_via_user.user.contacts_via_user.user'

const withContacts = asUser((user, target) =>
  addContacts(target, user, 1_000, (i) => ({
    name: `${'ab'.repeat(100)}${i}`,
    data: { a: { b: { c: Array.from({ length: 50 }, (_, k) => ({ d: k })) } } },
  })),
)

const SENDS = 100
const SENDS_AT_ONCE = 4
const PER_SEND = 1_000
const AUDIENCE = 20_000

/** A user with 100,000 texts and as many events, and a campaign to 20,000. */
const withHistory = asUser(async (user, target) => {
  await target.addDevice(user)
  const phones = (count: number) => Array.from({ length: count }, (_, i) => `+4915${1e7 + i}`)
  const recipients = phones(PER_SEND)
  const send = async (first: number) => {
    for (let i = first; i < SENDS; i += SENDS_AT_ONCE)
      await must(user, 'POST', '/api/sms/send', { recipients, body: `Text ${i}` })
  }
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, (_, first) => send(first)))
  const text = { name: 'Opening', body: 'Hello', recipients: phones(AUDIENCE), hold_seconds: 3_600 }
  const { id: campaign } = await must(user, 'POST', '/api/campaigns', text)
  return { campaign: String(campaign) }
})

/** Lists that the client does not wait for. */
const hangUp = (run: AttackRun, connections: number, filters: readonly string[]) =>
  flood(run, connections, (turn) => ({
    path: `${CONTACTS}?${query({ filter: `${filters[turn % filters.length]} && id != "${turn}"` })}`,
    hangUpMs: 300,
  }))

/** A condition of a shape that no other number has. */
const newShape = (n: number) =>
  `(${[...n.toString(3)].map((digit) => ['name = "a"', 'phone ~ "1"', 'user.name ?!= "b"'][Number(digit)]).join(' || (')}${')'.repeat(n.toString(3).length)}`

export const queries: readonly Attack[] = [
  byUser('slow filters, client gone', { isShort: true, prepare: withContacts }, (run) =>
    hangUp(run, 8, [
      `${OVER_AND_OVER}.contacts_via_user.name ?~ "zzz%z"`,
      `${OVER_AND_OVER}.contacts_via_user.phone ?= "x"`,
      `${OVER_AND_OVER}.name ?!= ${OVER_AND_OVER}.contacts_via_user.name`,
    ]),
  ),
  byUser('figures of many texts', { isShort: true, prepare: withHistory }, (run) =>
    floodPaths(run, 32, [
      '/api/sms/usage/days?days=366',
      `/api/campaigns/${run.prepared.campaign}/progress`,
      '/api/collections/sms_events/records?page=90&perPage=1000',
      '/api/sms/usage/days?days=365',
      '/api/devices/states',
    ]),
  ),
  byUser('slow filters, client waits', { prepare: withContacts }, (run) =>
    flood(run, 20, (turn) => ({
      path: `${CONTACTS}?${query({ filter: `${OVER_AND_OVER}.contacts_via_user.name ?~ "zz%z${turn}"` })}`,
    })),
  ),
  byUser('slow exports', { prepare: withContacts }, (run) =>
    flood(run, 8, (turn) => ({
      path: `/api/collections/contacts/export?${query({ filter: `${OVER_AND_OVER}.contacts_via_user.name ?~ "zz%z${turn}"` })}`,
    })),
  ),
  byUser('many wildcards in LIKE', { prepare: withContacts }, (run) =>
    flood(run, 8, (turn) => {
      const pattern = `%${'a%b%'.repeat(20 + (turn % 200))}c%`
      const filter = `name ~ "${pattern}" || user.contacts_via_user.name ?~ "${pattern}"`
      return { path: `${CONTACTS}?${query({ filter })}` }
    }),
  ),
  byUser('sorts by many relation paths', { prepare: withContacts }, (run) => {
    const paths = [
      'user.name',
      'user.email',
      'user.created',
      'groups.name',
      'user.contacts_via_user.name',
    ]
    const deep = ['user.contacts_via_user.user.contacts_via_user.phone', 'data.a.b.c', '@random']
    const sorts = [paths, deep, [...paths, ...deep], [...deep, ...paths].reverse()]
    const all = sorts.map(
      (sort) => `${CONTACTS}?${query({ sort: sort.join(',-'), perPage: '500' })}`,
    )
    return floodPaths(run, 8, all)
  }),
  byUser('deep pages and totals', { prepare: withContacts }, (run) => {
    const pages = ['1', '20', '1000000', '9007199254740991', '-1']
    const filter = 'user.contacts_via_user.name ?~ "a%b" || data.a.b ~ "d"'
    const paths = pages.map((page) => `${CONTACTS}?${query({ page, filter, perPage: '1000' })}`)
    return floodPaths(run, 8, paths)
  }),
  byUser('filters into JSON', { prepare: withContacts }, (run) => {
    const parts = Array.from(
      { length: 40 },
      (_, i) => `data.a.b.c.${i}.d ?= ${i} || data.a.b.c:each ~ "${i}"`,
    )
    const filters = [
      parts.join(' || '),
      'data.a.b.c:length > 1 && data:length = 0',
      parts.slice(0, 9).join(' && '),
    ]
    const paths = filters.map((filter) => `${CONTACTS}?${query({ filter })}`)
    return floodPaths(run, 8, paths)
  }),
  byUser('filters of new shapes from a user', (run) =>
    flood(run, 4, (turn) => ({
      path: `${CONTACTS}?${query({ filter: newShape(3 ** 30 + turn) })}`,
    })),
  ),
  byGuest('filters of new shapes', { isShort: true }, (run) =>
    flood(run, 4, (turn) => ({
      path: `${CONTACTS}?${query({ filter: newShape(3 ** 30 + turn) })}`,
    })),
  ),
  byGuest('filters of new shapes on an open collection', (run) =>
    flood(run, 4, (turn) => {
      const bits = [...(2 ** 20 + turn).toString(2)]
      const filter = bits
        .map((bit) => (bit === '1' ? 'title ~ "a"' : 'owner.name ?!= "b"'))
        .join(' || ')
      return { path: `/api/collections/boards/records?${query({ filter })}` }
    }),
  ),
  byGuest('deeply nested filters', (run) =>
    flood(run, 4, (turn) => {
      const deep = `${'('.repeat(1_500)}id=1${')'.repeat(1_500)}`
      const functions = `${'strftime("%Y",'.repeat(150)}created${')'.repeat(150)} = 1`
      const far = Array.from({ length: 60 }, (_, i) => `geoDistance(${i},1,2,3) < ${i}`).join('||')
      const filter = [deep, functions, far][turn % 3]!
      return { path: `/api/collections/boards/records?${query({ filter })}` }
    }),
  ),
]
