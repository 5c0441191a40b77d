import { z } from 'zod'
import { checkShape } from '../../../src/gateway/base/body-schemas.ts'

const SHAPE = z.object({
  count: z.int().min(1).max(100).optional(),
  code: z.string().min(1).max(4).optional(),
  ids: z.array(z.string()).min(2).max(3).optional(),
})

test.each([
  [{ count: 0 }, 'count must be at least 1'],
  [{ count: 101 }, 'count must be at most 100'],
  [{ code: '' }, 'code must not be empty'],
  [{ code: '12345' }, 'code must have at most 4 characters'],
  [{ ids: ['a'] }, 'ids must have at least 2 items'],
  [{ ids: ['a', 'b', 'c', 'd'] }, 'ids must have at most 3 items'],
])('the fault of %j names the bound', (body, message) => {
  expect(() => checkShape(SHAPE, body)).toThrow(message)
})
