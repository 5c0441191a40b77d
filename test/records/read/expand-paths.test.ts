import { expect, test } from 'vitest'
import { type ExpandTree, readExpand } from '../../../src/records/expand/expand-paths.ts'

const plain = (tree: ExpandTree): object =>
  Object.fromEntries([...tree].map(([name, rest]) => [name, plain(rest)]))

test.each([
  ['nothing', ' , ,.', {}],
  ['one', 'user', { user: {} }],
  ['several', 'user, device', { user: {}, device: {} }],
  ['spaces and outer dots go', ' .us er.. ', { user: {} }],
  ['a path', 'device.user', { device: { user: {} } }],
  ['a part of a longer path', 'device,device.user', { device: { user: {} } }],
  ['paths that part', 'a.b,a.c.d', { a: { b: {}, c: { d: {} } } }],
  ['an inner dot stays a step', 'a..b', { a: { '': { b: {} } } }],
] as const)('%s: %s', (_, param, tree) => {
  expect(plain(readExpand(param))).toEqual(tree)
})
