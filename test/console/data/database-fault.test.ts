import { findDatabaseFault } from '../../../console/src/data/connection/database-fault.ts'
import {
  DatabaseLocked,
  DatabaseUnavailable,
  OutdatedServer,
  toDatabaseError,
} from '../../../src/platform/db/database-errors.ts'

const makeSqlError = (code: string) =>
  Object.assign(new Error('refused'), { code, severity: 'ERROR' })

test.each([
  ['away', 'a lost database', new DatabaseUnavailable(new Error('ECONNREFUSED'))],
  ['full', 'a full disk', toDatabaseError(makeSqlError('53100'))],
  [undefined, 'a locked table', new DatabaseLocked(new Error('lock'))],
  [undefined, 'an outdated server', new OutdatedServer()],
])('the banner of the console says “%s” for %s', (fault, _, error) => {
  const { status, message } = error as DatabaseUnavailable
  expect(findDatabaseFault(status, message)).toBe(fault)
})

test('a sentence about the database in another answer opens no banner', () => {
  const { message } = new DatabaseUnavailable(new Error('ECONNREFUSED'))
  expect(findDatabaseFault(400, message)).toBeUndefined()
  expect(findDatabaseFault(503, undefined)).toBeUndefined()
})
