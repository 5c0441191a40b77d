import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeClusterLink } from '../../../../src/platform/db/embedded/cluster-location.ts'
import {
  ask,
  isRunning,
  openElsewhere,
  openHere,
  postmasterIn,
} from '../../../support/database/embedded.ts'
import { temporaryFolder } from '../../../support/database/temporary-folder.ts'

// The life of the embedded database: one folder, whose Postgres starts, dies and is adopted.

const folder = join(temporaryFolder(), 'data')
const first = await openHere(folder)
await ask(first.url, 'create table kept (n int)')
await first.close()

test('the embedded database is closed to other users, and its role has no extra rights', async () => {
  expect(statSync(makeClusterLink(folder)).mode & 0o777).toBe(0o700)
  const { url, close } = await openHere(folder)
  expect(
    await ask(
      url,
      `select rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = user`,
    ),
  ).toEqual([false])
  for (const [setting, value] of Object.entries({
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '',
    server_encoding: 'UTF8',
  }))
    expect(await ask(url, `show ${setting}`)).toEqual([value])
  expect(await ask(url, `select lower('ÄÖ'), 'a' < 'B' collate "default"`)).toEqual(['äö'])
  await close()
})

test('the last process that uses the embedded database stops it', async () => {
  const [one, other] = await Promise.all([openHere(folder), openHere(folder)])
  const pid = postmasterIn(folder)
  await one.close()
  expect(await ask(other.url, 'select count(*)::int from kept')).toEqual([0])
  await other.close()
  expect(isRunning(pid)).toBe(false)
})

test('a database left by a killed process keeps running and is adopted by the next process', async () => {
  const { child } = await openElsewhere(folder)
  const pid = postmasterIn(folder)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isRunning(pid)).toBe(true)
  const next = await openHere(folder)
  expect(postmasterIn(folder)).toBe(pid)
  await next.close()
  expect(isRunning(pid)).toBe(false)
})

test.each(['the postmaster is killed', 'one backend is killed', 'all are killed', 'all hang'])(
  'the database runs again after %s',
  async (what) => {
    const log: string[] = []
    const { url, close } = await openHere(folder, log)
    const pid = postmasterIn(folder)
    await ask(url, `insert into kept values (1)`)
    const backends = (await ask(
      url,
      'select pid from pg_stat_activity where pid <> pg_backend_pid()',
    )) as number[]
    const struck = {
      'the postmaster is killed': [pid],
      'one backend is killed': backends.slice(0, 1),
    }[what]
    for (const one of struck ?? [pid, ...backends])
      try {
        process.kill(one, what === 'all hang' ? 'SIGSTOP' : 'SIGKILL')
      } catch {
        // a worker of autovacuum may have ended meanwhile
      }
    await expect.poll(() => log.at(-1)).toBe('the embedded database is running again')
    expect(log).toContain('the embedded database has exited, restarting it')
    expect(await ask(url, `delete from kept returning n`)).toEqual([1])
    await close()
  },
)

test('a database can be stopped while it restarts', async () => {
  const { close } = await openHere(folder)
  process.kill(postmasterIn(folder), 'SIGKILL')
  await close()
  const next = await openHere(folder)
  const pid = postmasterIn(folder)
  await next.close()
  expect(isRunning(pid)).toBe(false)
})

const cluster = makeClusterLink(folder)
/** Empties a file, as a crash may; it has been so for a while. */
const empty = (name: string) => {
  writeFileSync(join(cluster, name), '')
  utimesSync(join(cluster, name), 1, 1)
}
test.each<[string, () => void]>([
  [
    'a pid file that names another process',
    () => writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n`),
  ],
  ['an empty postmaster.pid', () => empty('postmaster.pid')],
  ['an empty lock of the socket', () => empty('.s.PGSQL.5432.lock')],
  ['an empty pocketsms.json', () => empty('pocketsms.json')],
  ['no pocketsms.json', () => rmSync(join(cluster, 'pocketsms.json'))],
])('a start repairs %s', async (_, damage) => {
  damage()
  const { url, superuserUrl, close } = await openHere(folder)
  expect([
    await ask(url, 'select count(*)::int from kept'),
    await ask(superuserUrl, 'select 1'),
  ]).toEqual([[0], [1]])
  await close()
})

test('a data folder deleted at run time is not recreated, and the log says what to do', async () => {
  const [copy, log] = [join(temporaryFolder(), 'data'), [] as string[]]
  cpSync(folder, copy, { recursive: true })
  chmodSync(makeClusterLink(copy), 0o700)
  const { close } = await openHere(copy, log)
  const pid = postmasterIn(copy)
  rmSync(makeClusterLink(copy), { recursive: true })
  process.kill(pid, 'SIGKILL')
  await expect
    .poll(() => log.at(-1))
    .toMatch(/does not start: The folder .* is gone.* put the folder back/)
  await close()
  expect(existsSync(makeClusterLink(copy))).toBe(false)
})

test('an empty data folder becomes a database', async () => {
  const data = temporaryFolder()
  mkdirSync(makeClusterLink(data))
  await (await openHere(data)).close()
})
