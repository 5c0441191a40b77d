import { excerpt } from '../../../src/records/render/pick.ts'

test.each([
  ['tags within each other', `start${'<b>'.repeat(100_000)}deep`],
  ['blocks within each other', `start${'<div>'.repeat(100_000)}deep`],
  [
    'tags that each block repeats',
    `start<div>${Array.from({ length: 400 }, (_, i) => `<b a=${i}>`).join('')}</div>${'<p><img>'.repeat(10_000)}deep`,
  ],
  ['a long text', `start<p a="${'x'.repeat(1 << 20)}">deep`],
])('of %s the beginning is read', (_, html) => {
  const before = process.cpuUsage()
  expect(excerpt(html, 10, false)).toBe('start')
  const { user } = process.cpuUsage(before)
  expect(user / 1000).toBeLessThan(2_000)
})

test('400 tags within each other are read', () => {
  expect(excerpt(`${'<b>'.repeat(400)}deep`, 10, false)).toBe('deep')
})
