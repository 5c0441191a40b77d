import { findAuthRecord } from '../../../src/engine/auth/find-auth-record.ts'
import type { AuthCollection, BaseCollection } from '../../../src/engine/collections/collection.ts'
import { saveCollection } from '../../../src/engine/collections/save-collection.ts'
import { StaleAuth } from '../../../src/engine/records/check-auth-version.ts'
import { PasswordMemory } from '../../../src/engine/records/hash-passwords.ts'
import { Conflict } from '../../../src/engine/records/store-record.ts'
import { LargeAnswer } from '../../../src/engine/request/answer-limit.ts'
import type { AuthRecord } from '../../../src/engine/request/request.ts'
import { type AttemptFlags, NO_CALLER, retryRequest } from '../../../src/http/attempt.ts'
import { badRequest } from '../../../src/platform/api-errors.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/database-errors.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { openPreparedDb } from '../../support/server/start.ts'

const USER = 'user00000000001'

const db = await openPreparedDb()
const here = await openCatalogStore(db)
const elsewhere = await openCatalogStore(db)
const insert = `insert into users (id, email, "tokenKey", password) values ($1, 'a@example.com', 'x', 'x')`
await db.query(insert, [USER])

let attempts: AttemptFlags[] = []
let waits = 0
beforeEach(() => {
  attempts = []
  waits = 0
})

const userNow = {
  identify: async () =>
    (await findAuthRecord(here, here.catalog.find('users') as AuthCollection, USER))!,
}
const changeUser = () => db.query(`update users set name = name || 'x' where id = $1`, [USER])
const large = () =>
  new LargeAnswer(async () => {
    waits++
  })

/** Fails with these faults, one an attempt, then answers how many attempts there were. */
function failing(faults: readonly (() => unknown)[]) {
  return async (_: AuthRecord | null, attempt: AttemptFlags) => {
    attempts.push(attempt)
    const fault = faults[attempts.length - 1]
    if (fault) throw await fault()
    return attempts.length
  }
}
const times = (count: number, fault: () => unknown) => Array.from({ length: count }, () => fault)
const conflict = () => new Conflict()
const stale = () => new StaleAuth()

test('a request is retried after a conflict, with a lock after the third', async () => {
  expect(await retryRequest(here, NO_CALLER, failing(times(3, conflict)))).toBe(4)
  expect(attempts.map(({ locksRecord }) => locksRecord)).toEqual([false, false, false, true])
})

test('a stale auth record is read again and locked', async () => {
  const asked: boolean[] = []
  const identify = async (isCached: boolean) => {
    asked.push(isCached)
    return null
  }
  expect(
    await retryRequest(here, { identify }, failing(times(2, stale)), { comparesVersion: true }),
  ).toBe(3)
  expect(asked).toEqual([true, false, false])
  expect(attempts.map(({ isAuthCached }) => isAuthCached)).toEqual([true, false, false])
})

test('an answer that is too large waits for memory and is retried', async () => {
  expect(await retryRequest(here, NO_CALLER, failing([large]))).toBe(2)
  expect(waits).toBe(1)
})

test('each kind of fault has its own number of retries', async () => {
  const faults = [...times(3, conflict), large, ...times(5, stale)]
  expect(await retryRequest(here, NO_CALLER, failing(faults))).toBe(10)
})

/** Another node changes the collections, and a statement no longer fits its tables. */
const overtaken = async () => {
  await elsewhere.change(async (draft) => {
    const contacts = draft.catalog.find('contacts') as BaseCollection
    await saveCollection(draft, { ...contacts, listRule: `name = "${Math.random()}"` })
  })
  return db.query('select nowhere from contacts').catch((error: unknown) => error)
}

test("an update overtaken by another node's schema change is retried with the new collections", async () => {
  expect(await retryRequest(here, NO_CALLER, failing(times(3, overtaken)))).toBe(4)
})

test('a read that is overtaken several times starts over each time', async () => {
  let tries = 0
  const read = async () => {
    if (tries++ < 3) await overtaken()
    return tries
  }
  expect(await retryRequest(here, NO_CALLER, read, { isRead: true })).toBe(4)
})

test('work is never retried after its connection was lost, since it may be stored', async () => {
  const lost = () => overtaken().then((error) => new DatabaseUnavailable(error))
  await expect(retryRequest(here, NO_CALLER, failing([lost]))).rejects.toBeInstanceOf(
    DatabaseUnavailable,
  )
  expect(attempts).toHaveLength(1)
})

test.each([
  ['stale auth', stale, 21, StaleAuth],
  ['large answers', large, 2, LargeAnswer],
] as const)('endless %s are given up after $2 attempts', async (_, fault, count, type) => {
  await expect(retryRequest(here, NO_CALLER, failing(times(99, fault)))).rejects.toBeInstanceOf(
    type,
  )
  expect(attempts).toHaveLength(count)
})

test('any other error fails at once', async () => {
  const refused = failing([() => badRequest('no')])
  await expect(retryRequest(here, userNow, refused, { comparesVersion: true })).rejects.toThrow(
    'No.',
  )
  await expect(
    retryRequest(here, NO_CALLER, failing(times(9, () => new Error('bug')))),
  ).rejects.toThrow('bug')
  expect(attempts).toHaveLength(2)
})

/** The result of work whose first attempt changes the user and fails, if there is one. */
function retryAfterChange(fault: () => unknown, comparesVersion: boolean) {
  const changed = async () => {
    await changeUser()
    return fault()
  }
  return retryRequest(here, userNow, failing([changed]), { comparesVersion }).catch(() => undefined)
}

test.each([
  ['refusal', () => badRequest('no')],
  ['conflict', conflict],
] as const)('a %s is retried if the user changed in the meantime', async (_, fault) => {
  expect(await retryAfterChange(fault, true)).toBe(2)
  expect(attempts.at(-1)?.isAuthCached).toBe(false)
})

test('a refusal of a caller just read is not retried although the user changed in the meantime', async () => {
  expect(await retryAfterChange(() => badRequest('no'), false)).toBeUndefined()
  expect(attempts.at(-1)?.isAuthCached).toBe(false)
})

test('retries reuse the password hashes of earlier attempts, except failed ones', async () => {
  const made: string[] = []
  const work = {
    hash: async (plain: string) => {
      made.push(plain)
      if (made.length === 1) throw new Error('busy')
      return `hash of ${plain}`
    },
    verify: async (plain: string, hashed: string) => {
      made.push(`${plain} ${hashed}`)
      return true
    },
  }
  const memory = new PasswordMemory()
  await expect(memory.over(work).hash('a', 10)).rejects.toThrow('busy')
  for (let i = 0; i < 2; i++) expect(await memory.over(work).hash('a', 10)).toBe('hash of a')
  for (let i = 0; i < 2; i++) expect(await memory.over(work).verify('a', 'h')).toBe(true)
  const locked = memory.over(work, true)
  expect([await locked.verify('a', 'h'), await locked.verify('b', 'h')]).toEqual([true, false])
  expect(made).toEqual(['a', 'a', 'a h'])
})
