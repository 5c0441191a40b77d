import {
  deleteAuditLogs,
  deleteOldAuditEntries,
} from '../../../../src/engine/auth/audit/delete-old-audit-entries.ts'
import {
  type NumberedEntry,
  publishAuditEntries,
} from '../../../../src/engine/auth/audit/publish-audit-entries.ts'
import { findAuditFaults } from '../../../../src/main/doctor-audit.ts'
import { openCatalogStore } from '../../../support/database/open.ts'
import { openPreparedDb } from '../../../support/server/start.ts'

const { db } = await openCatalogStore(await openPreparedDb())
const run = (text: string, ...values: unknown[]) => db.query(text, values)
let sent: NumberedEntry[]
const publish = () => publishAuditEntries(db, async (_, entries) => void sent.push(...entries))
const faults = async () => (await findAuditFaults(db)).faults

/** Adds an entry to the log of superusers ('') or of an account, so many days ago. */
const add = (account: string, id: string, days = 0) =>
  account === ''
    ? run(
        `insert into _audit (id, action, created) values ($1, 'sign in', pb_text(now() - make_interval(days => $2)))`,
        id,
        days,
      )
    : run(
        `insert into account_audit (id, "user", sender, action, collection, record, fields, created)
         values ($1, $2, '', 'update', 'devices', 'phone', '[]', pb_text(now() - make_interval(days => $3)))`,
        id,
        account,
        days,
      )
const numbers = () => sent.map(({ account, id, number }) => `${account || 'root'} ${id} ${number}`)

beforeEach(async () => {
  sent = []
  await run('truncate _audit, account_audit, _audit_queue, _audit_numbers, _audit_logs')
})

test('entries of each log leave once, with the numbers of their log without a gap', async () => {
  await add('', 's1')
  await add('shop', 'a1')
  await add('', 's2')
  await add('bakery', 'b1')
  await publish()
  await add('shop', 'a2')
  await publish()
  await publish()
  expect(numbers()).toEqual(['root s1 1', 'shop a1 1', 'root s2 2', 'bakery b1 1', 'shop a2 2'])
  expect(await faults()).toEqual([])
})

test('an entry of a change that is rolled back gets no number', async () => {
  await add('shop', 'a1')
  await db
    .transaction(async (tx) => {
      await tx.query(`insert into _audit (id, action) values ('gone', 'x')`)
      throw new Error('no')
    })
    .catch(() => {})
  await add('', 's1')
  await publish()
  expect(numbers()).toEqual(['shop a1 1', 'root s1 1'])
})

test('if publishing fails, the same entries leave later with the same numbers', async () => {
  await add('shop', 'a1')
  const failing = publishAuditEntries(db, () => Promise.reject(new Error('full disk')))
  await expect(failing).rejects.toThrow('full disk')
  await add('shop', 'a2')
  await publish()
  expect(numbers()).toEqual(['shop a1 1', 'shop a2 2'])
})

test('several servers that publish at once give each number once', async () => {
  for (let i = 0; i < 30; i++) await add('shop', `a${i}`)
  await Promise.all([publish(), publish(), publish()])
  await publish()
  expect(sent.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, i) => i + 1),
  )
})

const FIVE = ['a1', 'a2', 'a3', 'a4', 'a5']
test.each<[string, string, string[]]>([
  ['one in the middle', `delete from account_audit where id = 'a3'`, ['entry 3 is missing.']],
  [
    'several in a row',
    `delete from account_audit where id in ('a2', 'a3')`,
    ['entries 2 to 3 are missing.'],
  ],
  [
    'the first and the last',
    `delete from account_audit where id in ('a1', 'a5')`,
    ['entry 1 is missing.', 'entry 5 is missing.'],
  ],
  ['all', 'delete from account_audit', ['entries 1 to 5 are missing.']],
  [
    'one that is moved to another account',
    `update account_audit set "user" = 'bakery' where id = 'a2'`,
    ['entry 2 is missing.'],
  ],
  ['the number of one', 'delete from _audit_numbers where number = 4', ['entry 4 is missing.']],
])('the doctor names what is missing: %s', async (_, change, found) => {
  for (const id of FIVE) await add('shop', id)
  await publish()
  await run(change)
  const own = (await faults()).filter((fault) => fault.includes('missing'))
  expect(own).toEqual(found.map((fault) => `Log of the account shop: ${fault}`))
})

test('the doctor names an entry that is deleted before it has left, and one that was never queued', async () => {
  await add('', 's1')
  await run(`delete from _audit where id = 's1'`)
  await add('shop', 'a1')
  await run(`delete from _audit_queue where entry = 'a1'`)
  await publish()
  expect([sent, await faults()]).toEqual([
    [],
    [
      'Log of superusers: entry 1 is missing.',
      'Log of the account shop: the entry a1 has no number.',
    ],
  ])
})

test('retention deletes old entries in order, stores the first number it keeps, and hides no loss', async () => {
  const ages = { a1: 40, a2: 39, a3: 35, a4: 5, a5: 50 }
  for (const [id, days] of Object.entries(ages)) await add('shop', id, days)
  await add('', 's1', 40)
  await publish()
  await run(`delete from account_audit where id = 'a2'`)
  await deleteOldAuditEntries(db, 0)
  expect(await faults()).toEqual(['Log of the account shop: entry 2 is missing.'])
  await deleteOldAuditEntries(db, 30)
  const left = await run('select id from account_audit union all select id from _audit order by 1')
  // a5 has an earlier date than its neighbours
  expect(left.rows).toEqual([['a4'], ['a5']])
  const logs = await run('select account, first_number, last_number from _audit_logs order by 1')
  expect(logs.rows.map((row) => row.map(String))).toEqual([
    ['', '2', '1'],
    ['shop', '4', '5'],
  ])
  expect(await faults()).toEqual([])
  await add('shop', 'a6')
  await add('', 's2')
  await publish()
  expect(numbers().slice(-2)).toEqual(['shop a6 6', 'root s2 2'])
  await run('delete from account_audit')
  await deleteOldAuditEntries(db, 30)
  expect(await faults()).toEqual(['Log of the account shop: entries 4 to 6 are missing.'])
})

test('the log of a deleted account leaves no rows', async () => {
  await add('shop', 'a1')
  await publish()
  await add('shop', 'a2')
  await run(`delete from account_audit where "user" = 'shop'`)
  await db.transaction((tx) => deleteAuditLogs(tx, ['shop']))
  await publish()
  expect([await faults(), (await run('select account from _audit_logs')).rows]).toEqual([[], []])
})
