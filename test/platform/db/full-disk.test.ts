import { toDatabaseError } from '../../../src/platform/db/database-errors.ts'

test.each([
  ['53100', 'The disk of the database is full, so nothing can be stored.'],
  ['57P01', 'The database cannot be reached at the moment.'],
  ['08006', 'The database cannot be reached at the moment.'],
] as const)('the error %s of Postgres is answered by what is true: %s', (code, message) => {
  expect(toDatabaseError(Object.assign(new Error('no'), { code }))).toMatchObject({
    status: 503,
    message,
  })
})
