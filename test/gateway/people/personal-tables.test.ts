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
    'webhook_payloads.target',
    'sms_origins.data',
    ...[
      'campaigns.variables',
      'campaigns.recipients',
      'campaigns.audience',
      'campaigns.without_consent',
    ],
    'hooks.recipients',
    ...['webhooks.numbers', 'webhooks.enabled'],
    'person_requests.files',
  ])
})

test('places name columns of their tables', () => {
  const wrong = places.flatMap(({ table, shown, key, erasure, logged }) =>
    [
      ...shown,
      key,
      ...(typeof erasure === 'string' ? [] : Object.keys(erasure)),
      ...Object.keys(logged),
    ]
      .filter((column) => !tables.get(table)!.all.includes(column))
      .map((column) => `${table}.${column}`),
  )
  expect(wrong).toEqual([])
})
