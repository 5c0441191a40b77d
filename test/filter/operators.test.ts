import { expect, test } from 'vitest'
import { testConfig } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'
import { openWorld } from './world.ts'

const world = stopAfterAll(await openWorld(await testConfig()))

/** The numbers at the end of the ids that a superuser's filter finds. */
async function found(collection: string, filter: string): Promise<string> {
  const ids = await world.ask('root', collection, filter)
  return ids === 'refused' ? ids : ids.map((id) => Number(id.slice(3))).join(' ')
}

// names of the tags of people 1 to 5: none, {x}, {x y}, {y ''}, {''}
test.each([
  ['all must match', "tags.name = 'x'", '2'],
  ['?= needs one', "tags.name ?= 'x'", '2 3'],
  ['none at all counts as one that is null', "tags.name != 'x'", '1 4 5'],
  ['?!= needs one that differs', "tags.name ?!= 'x'", '1 3 4 5'],
  ['like', "tags.name ~ 'x'", '2'],
  ['not like says nothing of null', "tags.name !~ 'x'", '4 5'],
  ['empty', "tags.name = ''", '1 5'],
  ['any empty', 'tags.name ?= null', '1 4 5'],
  ['not empty', "tags.name != ''", '2 3'],
  ['greater', "tags.name > 'a'", '2 3'],
  ['two on one path mean the same row', "tags.name ?= 'x' && tags.n ?= 1", '2 3'],
  ['two values never stand in one row', "tags.name ?= 'x' && tags.name ?= 'y'", ''],
  ['but one or the other may', "tags.name ?= 'x' || tags.name ?= 'y'", '2 3 4'],
  ['other paths are other rows', "tags.name ?= 'x' && things_via_owner.num ?> 100", '2 3'],
  ['all pairs of two sets', 'tags.id = tags.id', '1 2 5'],
  ['the id of a record in a list', "tags.id ?= 'tag000000000001'", '2 3'],
  ['each value', "roles:each ?= 'a'", '2 4'],
  ['all values', "roles:each = 'a'", '2'],
  ['each of nothing is empty', "@request.body.roles:each != ''", ''],
  ['or differs from it', "@request.body.roles:each ?!= ''", '1 2 3 4 5'],
  ['how many', 'tags:length > 1', '3 4'],
  ['a list is its JSON', `roles = '["a","b"]'`, '4'],
  ['not its JSON in another spelling', `roles = '["a", "b"]'`, ''],
  ['and text to like', "roles ~ 'B'", '3 4'],
  ['what is missing is neither true nor false', 'tags.name ?!= @request.query.zz:isset', '1'],
  ['a single relation', "tag.name = 'y'", '2'],
  ['a missing one is empty', "tag.name = ''", '3 5'],
  ['any record of a collection', "@collection.tags.name ?= nick && nick != ''", '1 5'],
  [
    'two aliases are two records',
    "@collection.tags:a.name ?= 'x' && @collection.tags:b.name ?= 'y'",
    '1 2 3 4 5',
  ],
])('rows of paths: %s', async (_, filter, ids) => {
  expect(await found('people', filter)).toBe(ids)
})

// tags 1 to 4: x 1 true, y 5 false, '' 0 true, '5' -1 false
test.each([
  ['a number beside text has a point', 'name = 5', ''],
  ['text beside a number counts', "n = '5'", '2'],
  ['with blanks and points', "n = ' 5.0 '", '2'],
  ['numbers come before texts', "n < 'abc'", '1 2 3 4'],
  ['0 is not empty', "n = ''", ''],
  ['nor null', 'n != null', '1 2 3 4'],
  ['nothing is above null', 'n >= null', ''],
  ['true is 1', 'on = 1', '1 3'],
  ["'true' is not", "on = 'true'", ''],
  ['null is the empty text', 'name = null', '3'],
  ['columns compare without conversion', 'n = name', ''],
  ['but in order they do', 'n > name', ''],
  ['like folds ASCII', "name ~ 'X'", '1'],
  ['a wildcard of its own', "name ~ 'x%'", '1'],
  ['like anything', "name ~ ''", '1 2 3 4'],
  ['like of a number', "n ~ '-'", '4'],
  ['a column as pattern', "'wxyz' ~ name && name != ''", '1 2'],
  ['lower', "name:lower = 'x'", '1'],
  ['words in any case', 'on = TRUE', '1 3'],
  ['constants alone', "'a' = 'a' && 1 != 2", '1 2 3 4'],
  ['a number is no text', "1 = '1'", ''],
  ['other than what is not sent: what is true', 'name != @request.query.zz:isset', '4'],
  ['other than what is sent: what is not true', 'n != @request.query.filter:isset', '3'],
  ['the other way round they are compared', '@request.query.filter:isset != n', '2 3 4'],
  ['a macro is a number', "@year > '2000'", ''],
  ['strftime is text', "strftime('%Y', '2024-05-01') = '2024'", '1 2 3 4'],
  ['a date that is none is empty', "strftime('%Y', name) = ''", '1 2 3'],
  ['no row differs from NULL', "things_via_tags.owner.verified = strftime('%w', null)", '1 2 3 4'],
  [
    'kilometres',
    'geoDistance(13.4, 52.5, 2.35, 48.86) > 870 && geoDistance(13.4, 52.5, 2.35, 48.86) < 880',
    '1 2 3 4',
  ],
])('types: %s', async (_, filter, ids) => {
  expect(await found('tags', filter)).toBe(ids)
})

test.each([
  ['an unknown field', 'nope = 1'],
  ['a field of no relation', 'name.x = 1'],
  ['an unknown modifier', 'name:foo = 1'],
  ['a back relation of another collection', 'notes_via_thing.id = 1'],
  ['an unknown function', 'foo(1) = 1'],
  ['a text for a coordinate', "geoDistance('1', 2, 3, 4) = 1"],
  ['an empty step into JSON', 'things_via_tag.j..a = 1'],
  ['seven relations', `${'things_via_tag.tag.'.repeat(4)}name = 1`],
])('refused: %s', async (_, filter) => {
  expect(await found('tags', filter)).toBe('refused')
})
