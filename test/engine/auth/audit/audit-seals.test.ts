import { checkAuditLogs } from '../../../../src/engine/auth/audit/check-audit-logs.ts'
import {
  deleteOldAuditEntries,
  endAuditChains,
} from '../../../../src/engine/auth/audit/delete-old-audit-entries.ts'
import { sealAuditEntries } from '../../../../src/engine/auth/audit/seal-audit-entries.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { createLogger } from '../../../../src/platform/log.ts'
import { openPreparedDb } from '../../../support/server/start.ts'

// What somebody with SQL can do to the audit logs, and what the doctor finds. A rollback undoes each case.

const db = await openPreparedDb()
const log = createLogger({ logLevel: 'silent' })
const seal = (tx: Db) => sealAuditEntries(tx, log)

const addSql = (id: string, user = 'ann', created = 'now()') =>
  `insert into account_audit (id, "user", sender, action, collection, record, fields, created)
   values ('${id}', '${user}', 'mia', 'update', 'webhooks', 'hook', '["url"]', pb_text(${created}))`
const addOfSuperuser = (id: string) => `insert into _audit (id, action) values ('${id}', 'sign in')`

for (const id of ['a1', 'a2', 'a3', 'a4'])
  await db.query(addSql(id, 'ann', `now() - interval '9 days'`))
for (const id of ['a5', 'a6', 'a7', 'a8']) await db.query(addSql(id))
for (const id of ['b1', 'b2']) await db.query(addSql(id, 'ben'))
for (const id of ['s1', 's2']) await db.query(addOfSuperuser(id))
const faultsBeforeSeals = await listFaults(db)
await seal(db)

async function listFaults(tx: Db): Promise<string[]> {
  const faults: string[] = []
  for await (const fault of checkAuditLogs(tx)) faults.push(fault)
  return faults
}

class Undone extends Error {}

/** Runs statements, or work, in a transaction; returns what the doctor finds there, and undoes them. */
async function findAfter(...steps: readonly (string | ((tx: Db) => Promise<unknown>))[]) {
  let faults: string[] = []
  const trial = db.transaction(async (tx) => {
    for (const step of steps) await (typeof step === 'string' ? tx.script(step) : step(tx))
    faults = await listFaults(tx)
    throw new Undone()
  })
  await expect(trial).rejects.toThrow(Undone)
  return faults
}

const retain = (days: number) => (tx: Db) => deleteOldAuditEntries(tx, days, log)

test('entries of a server that has not made a seal yet have no faults', () => {
  expect(faultsBeforeSeals).toEqual([])
})

test('logs that nobody changed have no faults', async () => {
  expect(await findAfter()).toEqual([])
  const { rows } = await db.query(
    'select account, last_number, chains from _audit_chains order by account',
  )
  expect(rows).toEqual([
    ['', 2, 3],
    ['ann', 8, 0],
    ['ben', 2, 0],
  ])
})

const ANN = 'Log of the account ann'
const RESTAMP = (where: string) =>
  `update account_audit set created = pb_text(now() - interval '1 year') where ${where}`

test.each<
  [what: string, steps: readonly (string | ((tx: Db) => Promise<unknown>))[], faults: string[]]
>([
  [
    'a removed entry',
    [`delete from account_audit where id = 'a3'`],
    [`${ANN}: entry 3 was removed.`],
  ],
  [
    'removed entries of one account and of superusers',
    [
      `delete from account_audit where id in ('a2', 'a3', 'a5')`,
      `delete from _audit where id = 's2'`,
    ],
    [
      'Log of superusers: entry 2 was removed.',
      `${ANN}: entries 2 to 3 were removed.`,
      `${ANN}: entry 5 was removed.`,
    ],
  ],
  [
    'a changed author',
    [`update account_audit set sender = 'eve' where id = 'a3'`],
    [`${ANN}: entry 3 was changed.`],
  ],
  ['a changed time', [RESTAMP(`id = 'a3'`)], [`${ANN}: entry 3 was changed.`]],
  [
    'changed names of fields',
    [`update account_audit set fields = '[]' where id = 'a3'`],
    [`${ANN}: entry 3 was changed.`],
  ],
  [
    'a changed address',
    [`update account_audit set ip = '192.0.2.1' where id = 'a3'`],
    [`${ANN}: entry 3 was changed.`],
  ],
  [
    'an entry that was moved to another account',
    [`update account_audit set "user" = 'ben' where id = 'a3'`],
    [`${ANN}: entry 3 was moved to another log.`],
  ],
  [
    'an entry whose seal was removed, too',
    [`delete from account_audit where id = 'a3'`, `delete from _audit_seals where entry = 'a3'`],
    [`${ANN}: entry 3 was removed from the seals.`],
  ],
  [
    'an entry without its seal',
    [`delete from _audit_seals where entry = 'a3'`],
    [
      `${ANN}: entry 3 was removed from the seals.`,
      `${ANN}: the entry a3 was added by hand, or its seal was removed.`,
    ],
  ],
  [
    'the last entries, removed with their seals',
    [
      `delete from account_audit where id in ('a7', 'a8')`,
      `delete from _audit_seals where entry in ('a7', 'a8')`,
    ],
    [`${ANN}: entries 7 to 8 were removed from the seals.`],
  ],
  [
    'the last entries, removed with their seals, and the end set back',
    [
      `delete from account_audit where id in ('a7', 'a8')`,
      `delete from _audit_seals where entry in ('a7', 'a8')`,
      `update _audit_chains set last_number = 6, last_seal = (select seal from _audit_seals where entry = 'a6') where account = 'ann'`,
    ],
    [`${ANN}: the ends of the seals were changed.`],
  ],
  [
    'an end that was set back before another entry was sealed',
    [
      `delete from account_audit where id in ('a7', 'a8')`,
      `delete from _audit_seals where entry in ('a7', 'a8')`,
      `update _audit_chains set last_number = 6, last_seal = (select seal from _audit_seals where entry = 'a6') where account = 'ann'`,
      addSql('a9'),
      seal,
    ],
    [`${ANN}: entry 7 was sealed after the end of the seals had been changed by hand.`],
  ],
  [
    'the first entries, removed as if by retention',
    [
      `delete from account_audit where id in ('a1', 'a2')`,
      `delete from _audit_seals where entry in ('a1', 'a2')`,
      `update _audit_chains set first_number = 2, first_seal = (select 'x') where account = 'ann'`,
    ],
    [`${ANN}: the ends of the seals were changed.`, `${ANN}: entry 3 was given another seal.`],
  ],
  [
    'a changed entry with a new digest',
    [
      `update account_audit set sender = 'eve' where id = 'a3'`,
      `update _audit_seals set digest = (select digest from _audit_seals where entry = 'a4') where entry = 'a3'`,
    ],
    [`${ANN}: entry 3 was given another seal.`, `${ANN}: entry 3 was changed.`],
  ],
  [
    'two entries that changed their places',
    [
      `update _audit_seals set number = -1 where entry = 'a3'`,
      `update _audit_seals set number = 3 where entry = 'a4'`,
      `update _audit_seals set number = 4 where entry = 'a3'`,
    ],
    [`${ANN}: entries 3 to 5 were given another seal.`],
  ],
  [
    'all rows of a log, removed with its seals',
    [
      `delete from account_audit where "user" = 'ben'`,
      `delete from _audit_seals where account = 'ben'`,
      `delete from _audit_chains where account = 'ben'`,
    ],
    [
      'There are seals of 2 logs, but there must be 3: all seals of a log were removed or added by hand.',
    ],
  ],
  [
    'all seals, removed',
    ['delete from _audit_seals', 'delete from _audit_chains'],
    ['No entry has a seal, but not all wait for one: the seals were removed by hand.'],
  ],
  [
    'an entry that was added without the trigger',
    ['alter table account_audit disable trigger user', addSql('a9')],
    [`${ANN}: the entry a9 was added by hand, or its seal was removed.`],
  ],
  [
    'an entry that was added with an earlier date and then sealed',
    [addSql('a9', 'ann', `now() - interval '2 hours'`), seal],
    [`${ANN}: entry 9 was added by hand, with an earlier date.`],
  ],
  [
    'an entry that was removed before it had a seal',
    [addSql('a9'), `delete from account_audit where id = 'a9'`, seal],
    [`${ANN}: entry 9 was removed.`],
  ],
  [
    'an entry and a seal that were added by hand',
    [
      'alter table account_audit disable trigger user',
      addSql('a9'),
      `insert into _audit_seals select account, 9, 'a9', created, settled, digest, seal from _audit_seals where entry = 'a8'`,
    ],
    [`${ANN}: entry 9 was added by hand, with a seal.`, `${ANN}: entry 9 was changed.`],
  ],
  [
    'entries that were given an early date, so that retention deletes them',
    [RESTAMP('true'), retain(30)],
    [
      `${ANN}: entries 1 to 8 were changed.`,
      'Log of the account ben: entries 1 to 2 were changed.',
    ],
  ],
  [
    'seals that were given an early date, so that retention deletes them',
    [
      `update _audit_seals set created = pb_text(now() - interval '1 year') where account = 'ben'`,
      retain(30),
    ],
    ['Log of the account ben: entries 1 to 2 were given another seal.'],
  ],
  [
    'an entry that was removed after retention',
    [retain(7), `delete from account_audit where id = 'a6'`],
    [`${ANN}: entry 6 was removed.`],
  ],
  [
    'a signed end that was moved after retention',
    [retain(7), `update _audit_chains set first_number = 3 where account = 'ann'`],
    [`${ANN}: the ends of the seals were changed.`, `${ANN}: entry 4 was removed from the seals.`],
  ],
])('the doctor finds %s', async (_, steps, faults) => {
  expect(await findAfter(...steps)).toEqual(faults)
})

test('entries that retention deleted are replaced by a signed end', async () => {
  const left: unknown[] = []
  const count = async (tx: Db) =>
    left.push(
      ...(await tx.query(`select id from account_audit where "user" = 'ann' order by id`)).rows,
    )
  expect(await findAfter(retain(7), count, addSql('a9'), seal)).toEqual([])
  expect(left.flat()).toEqual(['a5', 'a6', 'a7', 'a8'])
})

test('a deleted account leaves no fault', async () => {
  const removed = `delete from account_audit where "user" = 'ann'`
  const end = (tx: Db) => endAuditChains(tx, ['ann'])
  expect(await findAfter(addSql('a9'), end, removed, seal)).toEqual([])
  expect(await findAfter(end, removed, addSql('a9'), seal)).toEqual([])
})

test('an entry that is committed after later ones is sealed, by one of two servers', async () => {
  const other = await openPreparedDb()
  const add = (id: string) => (tx: Db) => tx.script(addSql(id))
  const [inserted, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = other.transaction(async (tx) => {
    await add('c1')(tx)
    inserted.resolve()
    await committing.promise
  })
  await inserted.promise
  for (const id of ['c2', 'c3', 'c4']) await other.transaction(add(id))
  await Promise.all([seal(other), seal(other), seal(other)])
  committing.resolve()
  await late
  await other.transaction(add('c5'))
  await Promise.all([seal(other), seal(other), seal(other)])
  await seal(other)
  const { rows } = await other.query('select entry from _audit_seals order by number')
  expect(rows.flat()).toEqual(['c2', 'c3', 'c4', 'c1', 'c5'])
  expect(await listFaults(other)).toEqual([])
})
