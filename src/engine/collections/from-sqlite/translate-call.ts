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

function cast([arg = '']: readonly string[]): string | undefined {
  const [, value, type = ''] = CAST.exec(arg) ?? []
  const name = CASTS[type.toLowerCase()]
  return name && `${name}(${value})`
}

/** Translates `group_concat(DISTINCT value, separator ORDER BY …)`. ORDER BY is part of the last argument. */
function groupConcat(args: readonly string[]): string | undefined {
  const [, distinct = '', value = '', order = ''] = AGGREGATED.exec(args[0] ?? '') ?? []
  const [, , separator = "','", after = ''] = AGGREGATED.exec(args[1] ?? "','") ?? []
  return `string_agg(${distinct}pb_text(${value}), ${separator}${order}${after})`
}

/** Translates `max(a, b)` or `min(a, b)`: NULL if any value is, while greatest() and least() skip NULLs. */
const extreme =
  (name: string): Call =>
  (args) => {
    if (args.length < 2) return undefined
    const nulls = args.map((arg) => `(${arg}) is null`).join(' or ')
    return `case when ${nulls} then null else ${name}(${args.join(', ')}) end`
  }

const renamed =
  (name: string): Call =>
  (args) =>
    `${name}(${args.join(',')})`

const choose: Call = ([condition, ...values]) =>
  `case when pb_truth(${condition}) then ${values[0]} else ${values[1] ?? 'null'} end`

/** Translates a time function to pb_strftime, or to the faster function `quick` if it has no modifiers. */
const time =
  (format: string, quick?: string): Call =>
  (args) => {
    if (quick && args.length === 1) return `${quick}(${args[0]})`
    return `pb_strftime('${format}', ${args.length > 0 ? args.join(',') : "'now'"})`
  }

/** Matches translated SQL that returns JSON. Inside other JSON, its value must not become a string. */
const JSON_CALL = /^\s*(json_build_|json_object_agg|coalesce\(json_|pb_json\()/

const inJson = (value: string) => (JSON_CALL.test(value) ? value : `pb_json_of(${value})`)

const translateJsonCall = ([value = '', path]: readonly string[]) =>
  path === undefined ? `pb_json(${value})` : `pb_json_at(pb_json(${value}), ${path})`

function jsonObject(args: readonly string[]): string {
  const members = args.map((arg, i) => (i % 2 === 0 ? arg : inJson(arg)))
  return `json_build_object(${members.join(',')})`
}

const CALLS: Readonly<Record<string, Call>> = {
  cast,
  ifnull: renamed('coalesce'),
  iif: choose,
  if: choose,
  max: extreme('greatest'),
  min: extreme('least'),
  substr: renamed('pb_substr'),
  substring: (args) => (args.length > 1 ? `pb_substr(${args.join(',')})` : undefined),
  length: renamed('pb_length'),
  round: renamed('pb_round'),
  group_concat: groupConcat,
  json: translateJsonCall,
  json_array: (args) => `json_build_array(${args.map(inJson).join(',')})`,
  json_array_length: (args) => `pb_json_length(${translateJsonCall(args)})`,
  json_each: (args) => `json_each(${translateJsonCall(args)}::text)`,
  json_group_array: ([arg]) => `coalesce(json_agg(${arg}), '[]')`,
  json_group_object: ([key, value = '']) =>
    `coalesce(json_object_agg(${key}, ${inJson(value)}), '{}')`,
  json_object: jsonObject,
  strftime: (args) => `pb_strftime(${args.length > 1 ? args.join(',') : `${args[0]}, 'now'`})`,
  date: time('%F', 'pb_day'),
  datetime: time('%F %T', 'pb_day_time'),
  time: time('%T'),
  julianday: (args) => `(round(${time('%J')(args)}::float8 * 86400000) / 86400000)`,
  unixepoch: (args) => `${time('%s')(args)}::bigint`,
}

const coalesceJson: Call = (args) => `coalesce(${args.map(inJson).join(', ')})`
const chooseJson: Call = ([condition = '', ...values]) => choose([condition, ...values.map(inJson)])

/** Calls whose values have several types, which SQLite mixes. Postgres gets the values as JSON. */
const MIXED_CALLS: Readonly<Record<string, Call>> = {
  ...CALLS,
  coalesce: coalesceJson,
  ifnull: coalesceJson,
  iif: chooseJson,
  if: chooseJson,
}

/** Translates a call from SQLite; undefined if it can stay. Calls `args` only for a name it translates. */
export type TranslateCall = (name: string, args: () => readonly string[]) => string | undefined

const translateBy =
  (calls: Readonly<Record<string, Call>>): TranslateCall =>
  (name, args) => {
    const key = name.toLowerCase()
    return Object.hasOwn(calls, key) ? calls[key]!(args()) : undefined
  }

export const translateCall = translateBy(CALLS)
/** The same, if `coalesce`, `ifnull` and `iif` get values of several types. */
export const translateMixedCall = translateBy(MIXED_CALLS)
