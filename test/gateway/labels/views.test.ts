import {
  INBOX_STATES,
  VIEW_SORTS,
  type ViewConditions,
  writeViewFilter,
} from '../../../src/portable/inbox-views.ts'
import { client, must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Saved views of the inbox: Ann's account with the member Ben.

const server = await startServerWithDevices()
const ann = await server.makeUser()
const member = await server.makeUser()
const pathOf = (collection: string) => `/api/collections/${collection}/records`
const values = { account: ann.id, member: member.id, role: 'agent' }
const { id: membership } = await must(server.superuser, 'POST', pathOf('members'), values)
const acting = await must(member, 'POST', '/api/account/act-for', { account: ann.id })
const ben = client(server.url, membership, acting.token)
const make = (collection: string, of: object, by = ann) =>
  must(by, 'POST', pathOf(collection), { user: ann.id, ...of })
const loadViews = async (by = ann) => (await must(by, 'GET', '/api/account/inbox')).views
const vip = (await make('labels', { name: 'VIP' })).id
const late = (await make('labels', { name: 'Late' })).id

beforeEach(async () => {
  for (const table of ['inbox_views', 'conversations']) await server.query(`delete from ${table}`)
})

test('each view counts the conversations that its filter lists', async () => {
  const columns = [
    ['archived', ['false', 'true']],
    ['blocked', ['false', 'true']],
    ['unanswered', ['false', 'true']],
    ['unread', ['0', '2']],
    ['follow_up_at', [`''`, `'2099-01-01 00:00:00.000Z'`]],
    ['failure', [`''`, `'Not sent: No signal'`, `'Canceled'`]],
    ['assignee', [`''`, `'${ann.id}'`, `'${ben.id}'`]],
    ['labels', [`'{}'`, `'{${vip}}'`, `'{${late},${vip}}'`]],
  ] as const
  const random = (choices: readonly string[], i: number, place: number) =>
    choices[(i * 7919 + place * 104_729 + ((i * i) >> place)) % choices.length]!
  const rows = Array.from({ length: 90 }, (_, i) =>
    [
      `'conversation${String(i).padStart(3, '0')}', '${ann.id}', '+4915100000${100 + i}', '', ''`,
      ...columns.map(([, choices], place) => random(choices, i, place)),
    ].join(', '),
  )
  await server.query(`insert into conversations (id, "user", number, created, updated,
    ${columns.map(([name]) => name).join(', ')}) values ${rows.map((row) => `(${row})`).join(', ')}`)
  const states = Object.keys(INBOX_STATES) as ViewConditions['state'][]
  const all = states.flatMap((state, i) => [
    { state, assignee: ['', 'me', 'nobody', ben.id][i % 4]!, labels: [] },
    { state, assignee: '', labels: [[vip], [late], [vip, late]][i % 3]! },
    { state, assignee: 'me', labels: [vip] },
  ])
  for (const [i, one] of all.entries())
    await make('inbox_views', { name: `${one.state} ${i}`, ...one })
  for (const view of await loadViews()) {
    const query = new URLSearchParams({
      filter: writeViewFilter(view, ann.id),
      sort: VIEW_SORTS[view.sort as keyof typeof VIEW_SORTS],
    })
    const { totalItems } = await must(ann, 'GET', `${pathOf('conversations')}?${query}`)
    expect(view.count, view.name).toBe(totalItems)
  }
  expect((await loadViews()).some(({ count }: { count: number }) => count > 5)).toBe(true)
})

test('a view counts at most 100 conversations', async () => {
  await server.query(
    `insert into conversations (id, "user", number, created, updated)
     select lpad(i::text, 15, 'c'), $1, 'n' || i, '', '' from generate_series(1, 150) i`,
    [ann.id],
  )
  await make('inbox_views', { name: 'All' })
  expect(await loadViews()).toMatchObject([{ state: 'open', sort: 'newest', count: 100 }])
})

test('members see their own views and shared ones; authors and admins change them', async () => {
  const own = await make('inbox_views', { name: 'Bens', author: ann.id }, ben)
  expect(own.author).toBe(ben.id)
  const shared = await make('inbox_views', { name: 'Team', shared: true, labels: [vip] })
  const namesOf = async (by: typeof ann) =>
    (await loadViews(by)).map(({ name }: { name: string }) => name)
  expect(await namesOf(ben)).toEqual(['Bens', 'Team'])
  expect(await namesOf(ann)).toEqual(['Team'])
  const path = (id: string) => `${pathOf('inbox_views')}/${id}`
  expect((await ben.call('PATCH', path(shared.id), { name: 'Mine' })).status).toBe(404)
  expect((await ben.call('DELETE', path(own.id))).status).toBe(204)
  expect((await ann.call('PATCH', path(shared.id), { sort: 'oldest' })).body.sort).toBe('oldest')
})

test.each([
  ['a text as labels', { labels: 'VIP' }],
  ['a label that is no id', { labels: ['not an id'] }],
  ['21 labels', { labels: Array(21).fill('label0000000001') }],
  ['an assignee that is no id', { assignee: '" || true' }],
  ['an unknown state', { state: 'mine' }],
])('a view with %s is refused', async (_, wrong) => {
  const answer = await ann.call('POST', pathOf('inbox_views'), {
    user: ann.id,
    name: 'Wrong',
    ...wrong,
  })
  expect(answer.status).toBe(400)
})

test('a view keeps the id of a deleted label and lists no conversation for it', async () => {
  const { id } = await make('labels', { name: 'Soon gone' })
  await make('conversations', { number: '+4915112345678', labels: [id] })
  await make('inbox_views', { name: 'Its view', labels: [id] })
  expect(await loadViews()).toMatchObject([{ labels: [id], count: 1 }])
  await must(ann, 'DELETE', `${pathOf('labels')}/${id}`)
  expect(await loadViews()).toMatchObject([{ labels: [id], count: 0 }])
})

test('the own views of a removed member are deleted, and shared ones stay', async () => {
  await make('inbox_views', { name: 'Bens' }, ben)
  await make('inbox_views', { name: 'Bens for all', shared: true }, ben)
  await must(server.superuser, 'DELETE', `${pathOf('members')}/${membership}`)
  expect(await server.query('select name from inbox_views')).toEqual([['Bens for all']])
})
