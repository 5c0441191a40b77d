type Call = (args: readonly string[]) => string | undefined

const CASTS: Readonly<Record<string, string>> = {
  int: 'pb_integer',
  integer: 'pb_integer',
  real: 'pb_real',
  numeric: 'pb_real',
  decimal: 'pb_real',
  text: 'pb_text',
  bool: 'pb_bool',
  boolean: 'pb_bool',
}

const CAST = /^([\s\S]*)\sas\s+(\w+)\s*$/i
const AGGREGATED = /^\s*(distinct\s)?([\s\S]*?)(\sorder\s+by\s[\s\S]*)?$/i

function translateCast([arg = '']: readonly string[]): string | undefined {
  const [, value, type = ''] = CAST.exec(arg) ?? []
  const name = CASTS[type.toLowerCase()]
  return name && `${name}(${value})`
}

/** Translates `group_concat(DISTINCT value, separator ORDER BY …)`. ORDER BY is part of the last argument. */
function translateGroupConcat(args: readonly string[]): string | undefined {
  const [, distinct = '', value = '', order = ''] = AGGREGATED.exec(args[0] ?? '') ?? []
  const [, , separator = "','", after = ''] = AGGREGATED.exec(args[1] ?? "','") ?? []
  return `string_agg(${distinct}pb_text(${value}), ${separator}${order}${after})`
}

/** Translates `max(a, b)` or `min(a, b)`: NULL if any value is, while greatest() and least() skip NULLs. */
const translateExtreme =
  (name: string): Call =>
  (args) => {
    if (args.length < 2) return undefined
    const nulls = args.map((arg) => `(${arg}) is null`).join(' or ')
    return `case when ${nulls} then null else ${name}(${args.join(', ')}) end`
  }

const renameCall =
  (name: string): Call =>
  (args) =>
    `${name}(${args.join(',')})`

const translateIif: Call = ([condition, ...values]) =>
  `case when pb_truth(${condition}) then ${values[0]} else ${values[1] ?? 'null'} end`

/** An expression of type text: a literal of the query, or NULL, which has no type. */
const TEXT = /^\s*(?:null|'(?:[^']|'')*')\s*$/i
/** Conversions that only Postgres' own `format` has: `%I`, `%L`, `%1$s`. */
const OF_POSTGRES = /%(?:-?\d*[IL]|\d+\$)/

const translatePrintf: Call = ([format = 'null', ...values]) =>
  OF_POSTGRES.test(format)
    ? undefined
    : `pb_printf(${[format, ...values].map((one) => (TEXT.test(one) ? one : `pb_text(${one})`)).join(', ')})`

/** Translates a time function to pb_strftime, or to the faster function `quick` if it has no modifiers. */
const translateTime =
  (format: string, quick?: string): Call =>
  (args) => {
    if (quick && args.length === 1) return `${quick}(${args[0]})`
    return `pb_strftime('${format}', ${args.length > 0 ? args.join(',') : "'now'"})`
  }

/** Matches translated SQL that returns JSON. Inside other JSON, its value must not become a string. */
const JSON_CALL = /^\s*(json_build_|json_object_agg|coalesce\(json_|pb_json\()/

const castToJson = (value: string) => (JSON_CALL.test(value) ? value : `pb_json_of(${value})`)

const translateJsonCall = ([value = '', path]: readonly string[]) =>
  path === undefined ? `pb_json(${value})` : `pb_json_at(pb_json(${value}), ${path})`

function translateJsonObject(args: readonly string[]): string {
  const members = args.map((arg, i) => (i % 2 === 0 ? arg : castToJson(arg)))
  return `json_build_object(${members.join(',')})`
}

const CALLS: Readonly<Record<string, Call>> = {
  cast: translateCast,
  ifnull: renameCall('coalesce'),
  iif: translateIif,
  if: translateIif,
  max: translateExtreme('greatest'),
  min: translateExtreme('least'),
  substr: renameCall('pb_substr'),
  substring: (args) => (args.length > 1 ? `pb_substr(${args.join(',')})` : undefined),
  length: renameCall('pb_length'),
  round: renameCall('pb_round'),
  group_concat: translateGroupConcat,
  printf: translatePrintf,
  format: translatePrintf,
  json: translateJsonCall,
  json_array: (args) => `json_build_array(${args.map(castToJson).join(',')})`,
  json_array_length: (args) => `pb_json_length(${translateJsonCall(args)})`,
  json_each: (args) => `json_each(${translateJsonCall(args)}::text)`,
  json_group_array: ([arg]) => `coalesce(json_agg(${arg}), '[]')`,
  json_group_object: ([key, value = '']) =>
    `coalesce(json_object_agg(${key}, ${castToJson(value)}), '{}')`,
  json_object: translateJsonObject,
  strftime: (args) => `pb_strftime(${args.length > 1 ? args.join(',') : `${args[0]}, 'now'`})`,
  date: translateTime('%F', 'pb_day'),
  datetime: translateTime('%F %T', 'pb_day_time'),
  time: translateTime('%T'),
  julianday: (args) => `(round(${translateTime('%J')(args)}::float8 * 86400000) / 86400000)`,
  unixepoch: (args) => `${translateTime('%s')(args)}::bigint`,
}

const translateCoalesceJson: Call = (args) => `coalesce(${args.map(castToJson).join(', ')})`
const translateIifJson: Call = ([condition = '', ...values]) =>
  translateIif([condition, ...values.map(castToJson)])

/** Calls whose values have several types, which SQLite mixes. Postgres gets the values as JSON. */
const MIXED_CALLS: Readonly<Record<string, Call>> = {
  ...CALLS,
  coalesce: translateCoalesceJson,
  ifnull: translateCoalesceJson,
  iif: translateIifJson,
  if: translateIifJson,
}

/** Translates a call from SQLite; undefined if it can stay. Calls `args` only for a name it translates. */
export type TranslateCall = (name: string, args: () => readonly string[]) => string | undefined

const makeCallTranslator =
  (calls: Readonly<Record<string, Call>>): TranslateCall =>
  (name, args) => {
    const key = name.toLowerCase()
    return Object.hasOwn(calls, key) ? calls[key]!(args()) : undefined
  }

export const translateCall = makeCallTranslator(CALLS)
/** As `translateCall`, also if `coalesce`, `ifnull` and `iif` get values of several types. */
export const translateMixedCall = makeCallTranslator(MIXED_CALLS)
