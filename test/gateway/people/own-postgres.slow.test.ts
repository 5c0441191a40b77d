import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { tablesWith } from '../../support/database/dump.ts'
import { filesWith } from '../../support/database/files-with.ts'
import {
  createDatabase,
  findPostgres,
  onServer,
  startPostgres,
} from '../../support/database/postgres.ts'
import { PROGRAM } from '../../support/server/program-files.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { stopLater } from '../../support/stops.ts'
import { ended, makeShop, seedPerson } from './person-fixture.ts'

const pgDump = join(findPostgres() ?? '', 'pg_dump')

const hexOf = (word: string) => Buffer.from(word).toString('hex')

describe.runIf(existsSync(pgDump))('on your own Postgres', () => {
  test('an erasure leaves no word of the person in a table, in `pg_dump`, or after `scrub` in the data files', {
    timeout: 300_000,
  }, async () => {
    const postgres = await startPostgres({ settings: { fsync: 'off' } })
    stopLater(() => postgres.stop())
    const url = await createDatabase(postgres.url)
    const gateway = await startServerWithDevices({
      DATABASE_URL: url,
      WEBHOOK_ALLOW_PRIVATE: 'true',
    })
    const of = await makeShop(gateway)
    const person = await seedPerson(of)
    const other = await seedPerson(of)
    const { id: former } = await must(of.shop, 'GET', `/api/contacts/${person.contact}/data`)
    expect(await ended(of.shop, former)).toMatchObject({ state: 'done' })
    const plain = [...person.secrets, ...person.spellings]
    // contents of files are bytes, which tables and dumps show as hexadecimal digits
    const words = [...plain, ...plain.map(hexOf)]
    const dump = () => execFileSync(pgDump, [url], { encoding: 'utf8', maxBuffer: 1 << 28 })
    const found = (text: string) => words.filter((word) => text.includes(word))
    expect(found(dump())).toEqual(expect.arrayContaining([person.number, hexOf(person.number)]))

    const { id } = await must(of.shop, 'POST', `/api/contacts/${person.contact}/erase`, {
      reason: 'Asked',
    })
    expect(await ended(of.shop, id)).toMatchObject({ state: 'done' })
    expect(await tablesWith(gateway.server.services.store.db, words)).toEqual([])
    const dumped = dump()
    expect(found(dumped)).toEqual([])
    for (const secret of other.secrets) expect(dumped).toContain(secret)

    const env = { ...process.env, DATABASE_URL: url, LOG_LEVEL: 'error' }
    const said = execFileSync(process.execPath, [PROGRAM, 'scrub'], { env, encoding: 'utf8' })
    const allowSuperuser = ['vacuum full pg_statistic', 'checkpoint']
    const inDatabase = Object.assign(new URL(postgres.url), { pathname: new URL(url).pathname })
    for (const statement of allowSuperuser) {
      expect(said).toContain(`${statement};`)
      await onServer(inDatabase.href, statement)
    }
    const tables = join(postgres.folder, 'data', 'base')
    expect(filesWith(tables, plain)).toEqual([])
    expect(filesWith(tables, other.secrets).length).toBeGreaterThan(0)
  })
})
