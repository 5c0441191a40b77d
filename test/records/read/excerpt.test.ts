import { expect, test } from 'vitest'
import { excerpt } from '../../../src/records/render/excerpt.ts'

test.each([
  ['tags go, blocks part words', '<p>Hello <b>wor</b>ld</p><p>second</p>', 100, false, 'Hello world second'],
  ['inline tags do not', '<a href="x">link</a><span>span</span><em>em</em>', 100, false, 'linkspanem'],
  ['white space collapses', 'plain  text\n\n with', 100, false, 'plain text with'],
  ['what looks like a tag is one', 'a<b and c>d & e &amp; f &lt;x&gt;', 100, false, 'ad & e & f <x>'],
  ['scripts and styles are left out', '<script>x()</script>after<style>y</style> z', 100, false, 'after z'],
  ['forms are left out', '<form>f</form>g<textarea>h</textarea>', 100, false, 'g'],
  ['cut at code points', '😀😀😀😀😀😀', 5, false, '😀😀😀😀😀'],
  ['dots when cut', 'äöü äöü äöü', 4, true, 'äöü...'],
  ['no dots when whole', 'äöü', 4, true, 'äöü'],
  ['comments are left out', '<!-- a -->b', 9, false, 'b'],
] as const)('%s', (_, html, max, dots, text) => {
  expect(excerpt(html, max, dots)).toBe(text)
})

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
