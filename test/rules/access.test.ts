import { expect, test } from 'vitest'
import type { Collection } from '../../src/collections/collection.ts'
import type { AuthRecord } from '../../src/request/request.ts'
import { ruleFor } from '../../src/rules/access.ts'

const collection = { listRule: null, viewRule: '', updateRule: 'id != ""' } as Collection
const who = (isSuperuser: boolean): AuthRecord => ({
  collection,
  id: 'x',
  values: {},
  version: '1',
  isDisabled: false,
  isSuperuser,
})

test('a rule is a text, or none, or refuses', () => {
  expect(ruleFor(collection, 'updateRule', who(false))).toBe('id != ""')
  expect(ruleFor(collection, 'viewRule', null)).toBe('')
  expect(() => ruleFor(collection, 'listRule', who(false))).toThrow(
    expect.objectContaining({ status: 403, message: 'Only superusers can perform this action.' }),
  )
})

test('superusers skip every rule', () => {
  expect([ruleFor(collection, 'listRule', who(true)), ruleFor(collection, 'updateRule', who(true))]).toEqual([
    '',
    '',
  ])
})
