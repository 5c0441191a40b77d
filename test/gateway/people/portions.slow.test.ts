import { eraseData } from '../../../src/gateway/people/erase-person.ts'
import { exportSlice } from '../../../src/gateway/people/export-person.ts'
import { listExportedPlaces } from '../../../src/gateway/people/export-portion.ts'
import { makePerson } from '../../../src/gateway/people/person.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { ended } from './person-fixture.ts'

const gateway = await startServerWithDevices()
const { store, extensions, personalData } = gateway.server.services
const { db } = store
const NUMBER = '+4915112345678'
const OTHER = '+4915187654321'
const NEVER = new AbortController().signal

/** Adds texts to and from a number. `body`: SQL, with the number `n` of the text. */
const addTexts = (user: string, number: string, texts: number, body = `'Text ' || n`) =>
  db.query(
    `insert into sms_messages (id, "user", "to", "from", message_type, status, body, created)
    select pb_new_id(), $1, case when n % 2 = 0 then $2 else '' end, case when n % 2 = 1 then $2 else '' end,
      case when n % 2 = 0 then 'outgoing' else 'incoming' end, 'sent', ${body}, pb_text(now())
    from generate_series(1, $3::int) n`,
    [user, number, texts],
  )

/** A request whose job waits for an hour, so that the test runs it. */
async function openRequest(shop: Client, kind: 'export' | 'erasure'): Promise<string> {
  const { rows } = await db.query(
    `insert into person_requests (id, "user", kind, number, hash, reason, state, created, updated)
    values (pb_new_id(), $1, $2, $3, person_hash($1, $3), 'Asked', 'running', pb_text(now()), pb_text(now()))
    returning id`,
    [shop.id, kind, NUMBER],
  )
  const id = String(rows[0]![0])
  await db.query(
    `insert into _jobs (kind, holder, key, due_at) values ('person', $1, $2, now() + interval '1 hour')`,
    [shop.id, id],
  )
  return id
}
const exportingFor = (shop: Client, request: string, maxBytes = 0) => ({
  request,
  person: makePerson(shop.id, NUMBER),
  places: listExportedPlaces(store.catalog, personalData),
  owner: { id: shop.id, maxBytes },
})
const wakeJob = (id: string) => db.query('update _jobs set due_at = now() where key = $1', [id])
const count = async (where: string, ...params: unknown[]) =>
  Number((await db.query(`select count(*) from sms_messages where ${where}`, params)).rows[0]![0])

async function fileOf(shop: Client, id: string, name: string): Promise<Response> {
  const { token } = await must(shop, 'POST', '/api/files/token')
  return fetch(`${gateway.url}/api/files/person_requests/${id}/${name}?token=${token}`)
}
const download = async (shop: Client, id: string, name: string) =>
  (await fileOf(shop, id, name)).text()

test('an export that was killed continues, has each text once, and has no files before its end', async () => {
  const shop = await gateway.makeUser()
  await addTexts(shop.id, NUMBER, 2_300)
  await addTexts(shop.id, OTHER, 10)
  const request = await openRequest(shop, 'export')
  const exporting = exportingFor(shop, request)
  let slices = 0
  let progress = 0
  while (!(await db.transaction((inside) => exportSlice(inside, exporting, 0)))) {
    const record = await must(shop, 'GET', `/api/collections/person_requests/records/${request}`)
    for (const name of record.files) expect((await fileOf(shop, request, name)).status).toBe(404)
    expect(record.progress).toBeGreaterThanOrEqual(progress)
    progress = record.progress
    // another process takes over
    if (++slices === 12) break
  }
  expect(progress).toBeGreaterThan(10)
  await wakeJob(request)
  const done = await ended(shop, request)
  expect(done).toMatchObject({ state: 'done', progress: 100, counts: { sms_messages: 2_300 } })
  const { places } = JSON.parse(await download(shop, request, done.files[0]))
  const bodies = new Set(places.sms_messages.map(({ body }: { body: string }) => body))
  expect([places.sms_messages.length, bodies.size]).toEqual([2_300, 2_300])
  const page = await download(shop, request, done.files[1])
  expect(page.match(/<dd>Text \d+<\/dd>/g)).toHaveLength(2_300)
  expect(page.endsWith('</html>\n')).toBe(true)
})

test('an export whose person is erased meanwhile fails, and its files are deleted', async () => {
  const shop = await gateway.makeUser()
  await addTexts(shop.id, NUMBER, 20)
  const request = await openRequest(shop, 'export')
  const exporting = exportingFor(shop, request)
  await db.transaction((inside) => exportSlice(inside, exporting, 0))
  const files = () => gateway.query('select name from _files where record = $1', [request])
  expect(await files()).toHaveLength(2)
  const erasure = await openRequest(shop, 'erasure')
  await wakeJob(erasure)
  expect(await ended(shop, erasure)).toMatchObject({ state: 'done' })
  expect(await files()).toEqual([])
  await wakeJob(request)
  expect(await ended(shop, request)).toMatchObject({
    state: 'failed',
    error: 'The person was erased meanwhile.',
    files: [],
  })
})

test('an export that exceeds the limit of files fails and leaves no files', async () => {
  const shop = await gateway.makeUser()
  await addTexts(shop.id, NUMBER, 1_500, `repeat('x', 1000)`)
  const request = await openRequest(shop, 'export')
  const exporting = exportingFor(shop, request, 1_000_000)
  const write = async () => {
    while (!(await db.transaction((inside) => exportSlice(inside, exporting, 0)))) {}
  }
  await expect(write()).rejects.toMatchObject({ status: 413 })
  const sizes = await gateway.query('select sum(size) from _file_contents where account = $1', [
    shop.id,
  ])
  expect(Number(sizes[0]![0])).toBeLessThan(1_000_000)
})

test('an erasure continues where its last run ended, in texts to the person and to others', async () => {
  const shop = await gateway.makeUser()
  await addTexts(shop.id, NUMBER, 1_000)
  await addTexts(
    shop.id,
    OTHER,
    12_000,
    `case when n % 4000 = 0 then 'Ring ${NUMBER}' else 'Text' end`,
  )
  const request = await openRequest(shop, 'erasure')
  const person = makePerson(shop.id, NUMBER)
  // a time of 0 ms ends each run after one portion
  const run = () => eraseData({ store, extensions, personalData }, request, person, NEVER, 0)
  const left: number[] = []
  const named: number[] = []
  while ((await run()) !== undefined && left.length < 20) {
    left.push(await count(`"user" = $1 and $2 in ("to", "from")`, shop.id, NUMBER))
    named.push(await count(`"user" = $1 and body like 'Ring +4%'`, shop.id))
  }
  expect(left.slice(0, 3)).toEqual([600, 200, 0])
  expect(named.slice(3)).toEqual([2, 1, 0])
  expect(
    await must(shop, 'GET', `/api/collections/person_requests/records/${request}`),
  ).toMatchObject({
    state: 'done',
    progress: 100,
    number: '',
    counts: { sms_messages: 1_000 },
  })
})

test('a person who agrees again between two runs of an erasure gets texts again', async () => {
  const shop = await gateway.makeUser()
  await addTexts(shop.id, NUMBER, 1_000)
  const request = await openRequest(shop, 'erasure')
  const run = () =>
    eraseData({ store, extensions, personalData }, request, makePerson(shop.id, NUMBER), NEVER, 0)
  const isStopped = async () =>
    (await must(shop, 'POST', '/api/person/erase', { number: NUMBER, preview: true })).stopped
  await run()
  expect(await isStopped()).toBe(true)
  await must(shop, 'POST', '/api/collections/consents/records', {
    user: shop.id,
    number: NUMBER,
    event: 'opt_in',
    shown: 'Yes, please',
  })
  for (let runs = 0; runs < 20 && (await run()) !== undefined; runs++);
  expect(
    await must(shop, 'GET', `/api/collections/person_requests/records/${request}`),
  ).toMatchObject({
    state: 'done',
    number: '',
  })
  expect(await isStopped()).toBe(false)
})
