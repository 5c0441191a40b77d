import { USERS_ID } from '../../../src/engine/collections/collection.ts'
import { makeAccountHolder } from '../../../src/platform/limits/limit-holder.ts'
import { makeTable, readCsvCells } from '../../../src/portable/read-csv.ts'
import { ANN, BEN, PHONES, startServerWithUsers } from '../../support/server/server-with-users.ts'
import { watchHolders } from '../../support/watch-holders.ts'

/** The rows of a CSV file by their titles. */
function readTable(text: string) {
  const { head, rows } = makeTable(readCsvCells(text).rows, () => true, String, { isCsv: true })
  return rows.map(({ cells }) => Object.fromEntries(head.map((title, at) => [title, cells[at]!])))
}

const COUNT = 2_345

const server = await startServerWithUsers()
const ann = await server.signedIn('users', ANN.id)
await server.rows(
  `insert into sms_messages (id, status, "to", body, message_type, device, segments, "user", created, updated)
  select 'm' || lpad(n::text, 14, '0'), case when n % 5 = 0 then 'failed' else 'delivered' end, '+49' || (1000 + n),
    case n when 5 then $1 when 10 then '=HYPERLINK("x")' else 'text ' || n end, 'outgoing', $2, 1,
    case when n % 2 = 0 then $3 else $4 end, pb_text(now()), pb_text(now())
  from generate_series(1, $5::int) n`,
  ['a "b",\r\nc', PHONES[0], BEN.id, ANN.id, COUNT],
)

const take = (query: Record<string, string>, headers = ann, collection = 'sms_messages') =>
  fetch(`${server.url}/api/collections/${collection}/export?${new URLSearchParams(query)}`, {
    headers,
  })

test('an export contains all records of a user once, newest first, over several pages', async () => {
  const answer = await take({ fields: 'id,user' })
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sms_messages.csv"')
  const rows = readTable(await answer.text())
  const odd = Array.from({ length: Math.ceil(COUNT / 2) }, (_, i) => COUNT - 2 * i)
  expect(rows).toEqual(odd.map((n) => ({ id: `m${String(n).padStart(14, '0')}`, user: ANN.id })))
})

test('an export uses the memory of its account, not of the address', async () => {
  const { memory } = await watchHolders(['memory'], async () => {
    expect((await take({ filter: 'id = "none"' })).status).toBe(200)
  })
  expect(memory).toEqual([makeAccountHolder(USERS_ID, ANN.id)])
})

test('an export has the chosen columns, also expanded ones, with quoted texts and disarmed formulas', async () => {
  const query = {
    filter: 'id = "m00000000000005"',
    fields: 'to,body,expand.device.name',
    expand: 'device',
  }
  expect(await (await take(query)).text()).toBe(
    `to,body,expand.device.name\r\n+491005,"a ""b"",\r\nc",${PHONES[0]}\r\n`,
  )
  const bens = await take(
    { filter: 'id = "m00000000000010"', fields: 'body' },
    await server.signedIn('users', BEN.id),
  )
  expect(await bens.text()).toBe(`body\r\n"'=HYPERLINK(""x"")"\r\n`)
})

test('an export as NDJSON has a line for each record, also of a value with line breaks', async () => {
  await server.rows(
    `insert into account_audit (id, "user", action, collection, record, fields, created)
     values ('entry', $1, 'update', 'webhooks', 'hook', E'["url",\\n"events"]', pb_text(now()))`,
    [ANN.id],
  )
  const query = { format: 'ndjson', fields: 'id,action,fields' }
  const answer = await take(query, ann, 'account_audit')
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  expect(answer.headers.get('content-disposition')).toContain('"account_audit.ndjson"')
  const lines = (await answer.text()).split('\n')
  expect(lines.at(-1)).toBe('')
  expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual([
    { id: 'entry', action: 'update', fields: ['url', 'events'] },
  ])
  const all = await (await take({ format: 'ndjson' })).text()
  expect(all.trimEnd().split('\n')).toHaveLength(Math.ceil(COUNT / 2))
})

test('an export without fields has all visible columns', async () => {
  const text = await (await take({ filter: 'id = "none"' })).text()
  expect(text).toMatch(/^id,status,to,from,body,message_type,.*,updated\r\n$/)
  const keys = await (await take({}, ann, 'api_keys')).text()
  expect(keys.split('\r\n')[0]).not.toContain('hash')
  expect(keys).not.toMatch(/[0-9a-f]{64}/)
})

test.each([
  ['a filter that makes no sense', { filter: 'status = ' }, 'sms_messages', 400],
  ['an unknown field', { filter: 'nothing = 1' }, 'sms_messages', 400],
  ['an unknown format', { format: 'xml' }, 'sms_messages', 400],
  ['an unknown collection', {}, 'nothing', 404],
  ['a collection for superusers', {}, '_superusers', 403],
])(
  'an export with %s is refused with $3 before any row is sent',
  async (_, query, collection, status) => {
    const answer = await take(query as Record<string, string>, ann, collection)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/json',
    ])
  },
)

test('a guest cannot export messages, and gets no rows of other collections', async () => {
  expect((await take({}, {})).status).toBe(401)
  expect(await (await take({ fields: 'name' }, {}, 'contacts')).text()).toBe('name\r\n')
})
