import fc from 'fast-check'
import type { Catalog } from '../../../src/engine/collections/catalog.ts'
import type { Collection } from '../../../src/engine/collections/collection.ts'
import type { Field } from '../../../src/engine/fields/field.ts'
import { SCHEMA } from './corpus.ts'

/** What a random filter is made for: a superuser's may also ask of the request and of any collection. */
export interface Subject {
  readonly catalog: Catalog
  readonly collection: Collection
  readonly isSuperuser: boolean
}

const SIGNS = ['=', '!=', '~', '!~', '<', '<=', '>', '>=']
const MACROS = [
  '@now',
  '@yesterday',
  '@todayStart',
  '@monthEnd',
  '@yearStart',
  '@year',
  '@month',
  '@weekday',
]
const TEXTS = [
  ...'|x|X|y|a|Ann|5|5.0| 5 |.5|1e3|0x5|true|abc|%|a%|%b|a\\\\|%\\\\|\\\\%|_|a_%|ä'.split('|'),
  ...'["a"]|["a","b"]|[]|["a", "b"]|{"a":1}|2024-01-02|2024-01-02 03:04:05.678Z|[1,2]'.split('|'),
  ...['example.com', 'thi000000000001', 'tag000000000001', 'per000000000002'],
]
const NUMBERS = ['0', '1', '5', '-1', '2.5', '1000', '10000000000000000', '-0.001', '2024', '007']
const JSON_PATHS = ['a', 'b', 'b.0', 'b.1', 'b.2.c', 'a.b.c', '0', '1', 'zz', 'a.b']
const MODIFIERS = ['', '', '', '', ':lower', ':each', ':length', ':isset', ':changed']

/** Collections that both servers have. */
const OURS = new Set(SCHEMA.map(({ id }) => id))

/** Other values on each server. */
const DIFFERENT = new Set(['password', 'tokenKey'])

const one = (list: readonly string[]) => fc.constantFrom(...list)
const text = one(TEXTS).map((value) => `'${value}'`)
const literal = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 4, arbitrary: one(NUMBERS) },
  { weight: 2, arbitrary: one(['true', 'false', 'null', 'NULL', 'True']) },
  { weight: 1, arbitrary: one(MACROS) },
)

/** The fields that a hop may go by: relations forth, and back from any collection. */
function hops({ catalog, isSuperuser }: Subject, collection: Collection): [string, Collection][] {
  const forth = collection.fields.flatMap((field): [string, Collection][] =>
    field.type === 'relation' ? [[field.name, catalog.find(field.collectionId)!]] : [],
  )
  const isOpen = ({ listRule }: Collection) => isSuperuser || listRule !== null
  const back = catalog.all.flatMap((other) =>
    other.fields.flatMap((field): [string, Collection][] =>
      field.type === 'relation' && field.collectionId === collection.id && isOpen(other)
        ? [[`${other.name}_via_${field.name}`, other]]
        : [],
    ),
  )
  return [...forth, ...back]
}

function ending(field: Field): fc.Arbitrary<string> {
  const plain = one(MODIFIERS).map((modifier) => field.name + modifier)
  if (field.type !== 'geoPoint' && field.type !== 'json') return plain
  const parts = one(field.type === 'json' ? JSON_PATHS : ['lon', 'lat'])
  const below = parts.map((path) => `${field.name}.${path}`)
  return fc.oneof(plain, below)
}

/** A path from a collection, with up to `depth` hops. */
export function path(
  subject: Subject,
  collection: Collection,
  depth: number,
): fc.Arbitrary<string> {
  const isUsed = ({ name, hidden }: Field) =>
    !DIFFERENT.has(name) && (subject.isSuperuser || !hidden)
  const here = fc.constantFrom(...collection.fields.filter(isUsed)).chain(ending)
  const next = depth === 0 ? [] : hops(subject, collection)
  if (next.length === 0) return here
  const on = fc
    .constantFrom(...next)
    .chain(([step, target]) => path(subject, target, depth - 1).map((rest) => `${step}.${rest}`))
  return fc.oneof({ weight: 3, arbitrary: here }, { weight: 2, arbitrary: on })
}

const NUMBER_PATHS = 'num place.lon place.lat owner.age tags.n j.a txt null 10 52.5'.split(' ')
const STRFTIMES = ['%Y', '%Y-%m-%d', '%s', '%H:%M', '%j', '%w', 'x']
const TIME_MODIFIERS = ["'+1 day'", "'start of month'", "'-3 months'", "'weekday 0'", "'bad'"]

function call({ collection }: Subject): fc.Arbitrary<string> {
  const named = NUMBER_PATHS.filter(
    (name) => /^[\d.]+$|^null$/.test(name) || collection.name === 'things',
  )
  const distance = fc
    .tuple(one(named), one(named), one(named), one(named))
    .map((args) => `geoDistance(${args})`)
  const dates =
    collection.name === 'things'
      ? ['day', 'txt', 'num', 'owner.nick', 'tags.name']
      : ["'2024-01-31'"]
  const time = fc
    .tuple(
      one(STRFTIMES),
      one([...dates, "'2024-01-31 10:20'", '2460000', '@now', 'null']),
      fc.array(one(TIME_MODIFIERS), { maxLength: 2 }),
    )
    .map(([format, ...args]) => `strftime('${format}', ${args.flat().join(', ')})`)
  return fc.oneof(distance, time)
}

function forSuperusers(subject: Subject): fc.Arbitrary<string> {
  const request = one([
    ...[
      'auth.nick',
      'auth.email',
      'auth.verified',
      'auth.nothing',
      'auth.created',
      'method',
      'context',
    ],
    ...[
      'query.perPage',
      'query.sort:lower',
      'query.zz:isset',
      'headers.zz',
      'body.txt',
      'body.num:isset',
    ],
    ...['body.many:length', 'body.many:each', 'body.txt:changed'],
  ]).map((name) => `@request.${name}`)
  const others = subject.catalog.all.filter(({ id }) => OURS.has(id))
  const joined = fc
    .tuple(fc.constantFrom(...others), one(['', ':k']))
    .chain(([other, alias]) =>
      path(subject, other, 0).map((rest) => `@collection.${other.name}${alias}.${rest}`),
    )
  return fc.oneof({ weight: 2, arbitrary: request }, { weight: 1, arbitrary: joined })
}

function operand(subject: Subject): fc.Arbitrary<string> {
  const choices = [
    { weight: 10, arbitrary: path(subject, subject.collection, 2) },
    { weight: 7, arbitrary: literal },
    { weight: 1, arbitrary: call(subject) },
  ]
  if (subject.isSuperuser) choices.push({ weight: 1, arbitrary: forSuperusers(subject) })
  return fc.oneof(...choices)
}

function comparison(subject: Subject): fc.Arbitrary<string> {
  const sign = fc.tuple(one(['', '', '?']), one(SIGNS)).map(([any, sign]) => any + sign)
  const named = path(subject, subject.collection, 2)
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.tuple(named, sign, literal) },
      { weight: 3, arbitrary: fc.tuple(operand(subject), sign, operand(subject)) },
    )
    .map((parts) => parts.join(' '))
}

/** Any filter that may make sense: one to four comparisons, with groups. */
export function randomFilter(subject: Subject): fc.Arbitrary<string> {
  const item = comparison(subject)
  const group = fc.tuple(item, one(['&&', '||']), item).map(([a, join, b]) => `(${a} ${join} ${b})`)
  const part = fc.oneof({ weight: 4, arbitrary: item }, { weight: 1, arbitrary: group })
  const more = fc.array(fc.tuple(one([' && ', ' || ']), part), { maxLength: 2 })
  return fc
    .tuple(part, more)
    .map(([first, rest]) => first + rest.map(([join, next]) => join + next).join(''))
}

/** Any sort, with the id at its end so that there are no ties. */
export function randomSort(subject: Subject): fc.Arbitrary<string> {
  const key = fc
    .tuple(one(['', '-', '+']), path(subject, subject.collection, 2))
    .map((parts) => parts.join(''))
  return fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => [...keys, 'id'].join(','))
}
