import { pickFields } from '../../../src/records/render/pick.ts'

test('keys may have a dot, a star gives excerpts of all others', () => {
  const record = '{"id":"r1","k.l":{"m":1,"n":2},"mixed":[{"a":1},2],"title":"<b>bold</b> text"}'
  expect(pickFields(record, 'k.l.m')).toBe('{"k.l":{"m":1}}')
  expect(JSON.parse(pickFields(record, '*:excerpt(2),mixed,k.l'))).toEqual({
    ...JSON.parse(record),
    title: 'bo',
  })
})

test('objects come out sorted by the bytes of their keys, as Go writes maps', () => {
  const json = '{"b":{"lon":1,"lat":2},"B":1e21,"\u{1F600}":-0,"\uFB00":"<&>","10":1,"9":2}'
  expect(pickFields(json, '*')).toBe(
    '{"10":1,"9":2,"B":1e+21,"b":{"lat":2,"lon":1},"\uFB00":"<&>","\u{1F600}":-0}',
  )
})
