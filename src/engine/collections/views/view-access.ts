import type { Db } from '../../../platform/db/open.ts'
import type { Collection } from '../collection.ts'
import { quoteName, toTableName } from '../sql-names.ts'
import { ViewQueryError } from './view-query-error.ts'

/** Functions that views may call although they are not marked immutable. None reads tables or files. */
const VIEW_FUNCTIONS: readonly string[] = [
  'age',
  'clock_timestamp',
  'date',
  'date_add',
  'date_part',
  'date_subtract',
  'date_trunc',
  'extract',
  'generate_series',
  'make_timestamptz',
  'now',
  'overlaps',
  'statement_timestamp',
  'time',
  'timestamp',
  'timestamptz',
  'timetz',
  'timezone',
  'to_char',
  'to_date',
  'to_number',
  'to_timestamp',
  'transaction_timestamp',
  'money',
  'numeric',
  'anytextcat',
  'array_to_string',
  'concat',
  'concat_ws',
  'convert',
  'convert_from',
  'convert_to',
  'format',
  'length',
  'quote_literal',
  'quote_nullable',
  'textanycat',
  'array_to_json',
  'json_agg',
  'json_agg_strict',
  'json_build_array',
  'json_build_object',
  'json_object_agg',
  'json_object_agg_strict',
  'json_object_agg_unique',
  'json_object_agg_unique_strict',
  'json_to_record',
  'json_to_recordset',
  'row_to_json',
  'to_json',
  'to_jsonb',
  'jsonb_agg',
  'jsonb_agg_strict',
  'jsonb_build_array',
  'jsonb_build_object',
  'jsonb_object_agg',
  'jsonb_object_agg_strict',
  'jsonb_object_agg_unique',
  'jsonb_object_agg_unique_strict',
  'jsonb_path_exists_tz',
  'jsonb_path_match_tz',
  'jsonb_path_query_array_tz',
  'jsonb_path_query_first_tz',
  'jsonb_path_query_tz',
  'jsonb_to_record',
  'jsonb_to_recordset',
  'json_to_tsvector',
  'jsonb_to_tsvector',
  'phraseto_tsquery',
  'plainto_tsquery',
  'to_tsquery',
  'to_tsvector',
  'ts_headline',
  'websearch_to_tsquery',
  'gen_random_uuid',
  'random',
  'uuidv4',
  'uuidv7',
]

const SCHEMAS = `('pg_catalog'::regnamespace, current_schema()::regnamespace)`

/** SQL: whether a view may call row `p` of pg_proc: immutable, in VIEW_FUNCTIONS ($1) or our own `pb_…`. */
const IS_VIEW_FUNCTION = `p.pronamespace in ${SCHEMAS} and (p.provolatile = 'i'
  or p.pronamespace = 'pg_catalog'::regnamespace and p.proname = any($1::text[])
  or p.pronamespace = current_schema()::regnamespace and p.provolatile = 's' and starts_with(p.proname, 'pb_'))`

/** SQL: whether a view may use row `o` of pg_operator. `p`: the row of its function in pg_proc. */
const IS_VIEW_OPERATOR = `o.oprnamespace in ${SCHEMAS} and p.provolatile <> 'v'`

/** Node types that a view's parsed query may contain, as Postgres 15 to 18 write them. */
const NODES = new Set([
  'QUERY',
  'RANGETBLENTRY',
  'RTEPERMISSIONINFO',
  'RANGETBLFUNCTION',
  'RANGETBLREF',
  'ALIAS',
  'FROMEXPR',
  'JOINEXPR',
  'TARGETENTRY',
  'SORTGROUPCLAUSE',
  'GROUPINGSET',
  'WINDOWCLAUSE',
  'SETOPERATIONSTMT',
  'COMMONTABLEEXPR',
  'CTESEARCHCLAUSE',
  'CTECYCLECLAUSE',
  'VAR',
  'CONST',
  'PARAM',
  'FUNCEXPR',
  'OPEXPR',
  'NAMEDARGEXPR',
  'DISTINCTEXPR',
  'NULLIFEXPR',
  'SCALARARRAYOPEXPR',
  'BOOLEXPR',
  'SUBLINK',
  'FIELDSELECT',
  'RELABELTYPE',
  'COERCEVIAIO',
  'ARRAYCOERCEEXPR',
  'CONVERTROWTYPEEXPR',
  'COERCETODOMAIN',
  'COLLATEEXPR',
  'CASEEXPR',
  'CASEWHEN',
  'CASETESTEXPR',
  'ARRAYEXPR',
  'ROWEXPR',
  'ROWCOMPAREEXPR',
  'COALESCEEXPR',
  'MINMAXEXPR',
  'SQLVALUEFUNCTION',
  'NULLTEST',
  'BOOLEANTEST',
  'AGGREF',
  'GROUPINGFUNC',
  'WINDOWFUNC',
  'SUBSCRIPTINGREF',
  'JSONCONSTRUCTOREXPR',
  'JSONRETURNING',
  'JSONFORMAT',
  'JSONVALUEEXPR',
  'JSONISPREDICATE',
])

/** Names of Postgres' SQLValueFunctionOp from number 9 on: forbidden. Lower ones are dates and times. */
const SESSION_VALUES = ['current_role', 'current_user', 'user', 'session_user', 'current_catalog']
const FIRST_SESSION_VALUE = 9

const SELECT = '1'

const TREE = `
select ev_class::text, ev_action::text from pg_rewrite where ev_class = $1::regclass`

/** SQL that finds what a view may not use. OIDs of functions: $2, operators: $3, tables: $4, types: $6. */
const FORBIDDEN = `
select 'call the function "' || coalesce(p.proname, 'unknown') || '"'
from unnest($2::oid[]) used (oid) left join pg_proc p on p.oid = used.oid
where (${IS_VIEW_FUNCTION}) is not true
union all
select 'use the operator "' || coalesce(o.oprname, 'unknown') || '"'
from unnest($3::oid[]) used (oid) left join pg_operator o on o.oid = used.oid left join pg_proc p on p.oid = o.oprcode
where (${IS_VIEW_OPERATOR}) is not true
union all
select 'read "' || coalesce(c.relname, 'unknown') || '", which is no collection'
from unnest($4::oid[]) used (oid) left join pg_class c on c.oid = used.oid
where (c.relnamespace = current_schema()::regnamespace and c.relname = any($5::text[])) is not true
union all
select 'use the type "' || t.typname || '"'
from pg_type t where t.oid = any($6::oid[]) and t.typname ~ '^_?reg' and t.typname <> 'regconfig'
limit 1`

const findMatches = (tree: string, pattern: RegExp) =>
  [...tree.matchAll(pattern)].map(([, text]) => text!)
const findOids = (tree: string, pattern: RegExp) => [
  ...new Set(findMatches(tree, pattern).flatMap((text) => text.split(' '))),
]

function findForbiddenNode(tree: string): string | undefined {
  const node = findMatches(tree, /(?<!\\)\{(\w+)/g).find((name) => !NODES.has(name))
  if (node) return `have this kind of expression (${node})`
  if (findMatches(tree, /\{QUERY :commandType (\d+)/g).some((type) => type !== SELECT))
    return 'do anything but SELECT'
  const value = findMatches(tree, /\{SQLVALUEFUNCTION :op (\d+)/g).find(
    (op) => Number(op) >= FIRST_SESSION_VALUE,
  )
  return value && `use ${SESSION_VALUES[Number(value) - FIRST_SESSION_VALUE] ?? 'current_schema'}`
}

async function findForbiddenObject(
  db: Db,
  view: string,
  tree: string,
  collections: readonly Collection[],
) {
  const { rows } = await db.query(FORBIDDEN, [
    VIEW_FUNCTIONS,
    findOids(tree, /:(?:funcid|aggfnoid|winfnoid) (\d+)/g),
    findOids(tree, /:opnos? (?:\(o )?(\d+(?: \d+)*)/g),
    // 0 is no table. Postgres 15 also lists the view itself.
    findOids(tree, /:relid (\d+)/g).filter((oid) => oid !== '0' && oid !== view),
    collections.map(toTableName),
    findOids(tree, /:\w*type(?:id|Id)? (\d+)/gi),
  ])
  return rows[0] && String(rows[0][0])
}

/** Throws a ViewQueryError if Postgres' parse tree of a view has forbidden parts. Does not run the view. */
export async function checkViewAccess(db: Db, view: string, collections: readonly Collection[]) {
  const [row] = (await db.query(TREE, [quoteName(view)])).rows
  if (!row) throw new Error(`There is no view ${view}`)
  const [oid, tree] = row.map(String) as [string, string]
  const problem = findForbiddenNode(tree) ?? (await findForbiddenObject(db, oid, tree, collections))
  if (problem) throw new ViewQueryError(`a view may not ${problem}`)
}
