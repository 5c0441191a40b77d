import { expect, test } from 'vitest'
import { excerpt } from '../../src/records/excerpt.ts'

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

test('tags nested 20,000 times deep are read without recursion', () => {
  expect(excerpt(`${'<b>'.repeat(20_000)}deep`, 10, false)).toBe('deep')
})
