import { sql } from 'kysely'
import { Catalog } from '../../../src/engine/collections/catalog.ts'
import { makeBuiltInCollections } from '../../../src/engine/collections/definition/built-in-collections.ts'
import { REASONS } from '../../../src/gateway/base/message-status.ts'
import { makePlace, type Place } from '../../../src/gateway/base/personal-data.ts'
import { listAccountPlaces } from '../../../src/gateway/people/personal-account-tables.ts'
import { sortPlaces } from '../../../src/gateway/people/personal-tables.ts'
import en from '../../../src/gateway/people/words/en.json' with { type: 'json' }
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { FEATURES, PERSONAL_DATA } from '../../../src/main/features.ts'
import { openPreparedDb } from '../../support/server/start.ts'
import { ENGINE_TABLES } from './no-places.ts'

const db = await openPreparedDb()

/** The columns of each table that can hold texts, and all columns. */
const { rows } = await db.query(`
  select c.relname, array_agg(a.attname), array_agg(a.attname) filter (
    where format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) ~ '^(text|json|jsonb|bytea|character)')
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  group by 1 order by 1`)
const tables = new Map(
  (rows as [string, string[], string[] | null][]).map(([name, all, texts]) => [
    name,
    { all, texts: texts ?? [] },
  ]),
)
const { places } = PERSONAL_DATA
const placed: string[] = places.map(({ table }) => table)
const unplaced = [
  ...Object.keys(ENGINE_TABLES),
  ...FEATURES.flatMap(({ personalData }) => Object.keys(personalData?.noPlaces ?? {})),
]

test('each table with texts or JSON is a place of personal data or has a reason why not', () => {
  const withTexts = [...tables].filter(([, { texts }]) => texts.length > 0).map(([name]) => name)
  expect(withTexts.length).toBeGreaterThan(60)
  expect(
    withTexts.filter((name) => !placed.includes(name) && !unplaced.includes(name)),
    'add them to `places` or `noPlaces` in the personalData of their feature, as src/gateway/hooks/personal-data.ts, or to ENGINE_TABLES in test/gateway/people/no-places.ts',
  ).toEqual([])
})

test('an erasure empties each place after the places that are found by it', () => {
  expect(placed.indexOf('sms_messages')).toBeGreaterThan(placed.indexOf('webhook_deliveries'))
  for (const { table, after } of places)
    for (const other of after)
      expect([table, other, placed.indexOf(other)]).toEqual([
        table,
        other,
        expect.toSatisfy((at: number) => at >= 0 && at < placed.indexOf(table)),
      ])
})

test('places that follow each other in a circle are refused, with their names', () => {
  const makeOne = (table: 'contacts' | 'hooks' | 'consents', ...after: Place['after']) =>
    makePlace({ table, title: table, rows: () => sql`true`, erasure: 'delete', after })
  const circle = [
    makeOne('contacts', 'hooks'),
    makeOne('hooks', 'consents'),
    makeOne('consents', 'contacts'),
  ]
  expect(() => sortPlaces(circle)).toThrow('a circle of places: contacts, hooks, consents')
  expect(() => sortPlaces([makeOne('hooks', 'hooks')])).toThrow('a circle of places: hooks')
  const line = sortPlaces(circle.slice(0, 2))
  expect(line.map(({ table }) => table)).toEqual(['hooks', 'contacts'])
})

test('the lists of places name only tables that exist, each once', () => {
  const named = [...placed, ...unplaced]
  expect(named.filter((name) => !tables.has(name))).toEqual([])
  expect(new Set(named).size).toBe(named.length)
})

test('an export shows each column that an erasure empties, apart from secrets and copies', () => {
  const hidden = places.flatMap(({ table, shown, erasure }) =>
    shown.length === 0 || typeof erasure === 'string'
      ? []
      : Object.keys(erasure)
          .filter((column) => !shown.includes(column))
          .map((column) => `${table}.${column}`),
  )
  expect(hidden).toEqual([
    'sms_origins.data',
    'webhook_payloads.target',
    ...[
      'campaigns.variables',
      'campaigns.recipients',
      'campaigns.audience',
      'campaigns.without_consent',
    ],
    ...['webhooks.numbers', 'webhooks.enabled'],
    'hooks.recipients',
    'person_requests.files',
  ])
})

test('places name columns of their tables', () => {
  const wrong = places.flatMap(({ table, shown, onPage, key, erasure, logged }) =>
    [
      ...shown,
      ...onPage,
      key,
      ...(typeof erasure === 'string' ? [] : Object.keys(erasure)),
      ...Object.keys(logged),
    ]
      .filter((column) => !tables.get(table)!.all.includes(column))
      .map((column) => `${table}.${column}`),
  )
  expect(wrong).toEqual([])
})

test('the page of an export has words for its places, columns and values', () => {
  const onPages = places.filter(({ onPage }) => onPage.length > 0)
  expect(onPages.length).toBeGreaterThan(10)
  const raw = new Map([...BUILT_IN.raw.values()].map(({ name, fields }) => [name, fields]))
  const listValues = (table: string, column: string) =>
    raw.get(table)?.find(({ name }) => name === column)?.values ?? []
  const ofColumns = onPages.flatMap(({ table, onPage }) =>
    onPage.flatMap((column) => [
      `column.${column}`,
      ...listValues(table, column).map((value) => `${column}.${value}`),
    ]),
  )
  const ofAccount = listAccountPlaces(new Catalog(makeBuiltInCollections(BUILT_IN), BUILT_IN))
  const needed = [
    ...[...onPages, ...ofAccount].map(({ title }) => `place.${title}`),
    ...ofColumns,
    ...Object.values(REASONS).map((reason) => `reason.${reason}`),
  ]
  expect(
    needed.filter((word) => !Object.hasOwn(en, word)),
    'add them to the files of src/gateway/people/words',
  ).toEqual([])
})
