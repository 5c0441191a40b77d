/**
 * Postgres functions that views may call although their result depends on more than their arguments: time,
 * time zone, chance, or another type's output. None reads tables, files or settings.
 */
export const VIEW_FUNCTIONS: readonly string[] = [
  ...['age', 'clock_timestamp', 'date', 'date_add', 'date_part', 'date_subtract', 'date_trunc', 'extract'],
  ...['generate_series', 'make_timestamptz', 'now', 'overlaps', 'statement_timestamp', 'time', 'timestamp'],
  ...['timestamptz', 'timetz', 'timezone', 'to_char', 'to_date', 'to_number', 'to_timestamp'],
  ...['transaction_timestamp', 'money', 'numeric'],
  ...['anytextcat', 'array_to_string', 'concat', 'concat_ws', 'convert', 'convert_from', 'convert_to'],
  ...['format', 'length', 'quote_literal', 'quote_nullable', 'textanycat'],
  ...['array_to_json', 'json_agg', 'json_agg_strict', 'json_build_array', 'json_build_object'],
  ...['json_object_agg', 'json_object_agg_strict', 'json_object_agg_unique', 'json_object_agg_unique_strict'],
  ...['json_to_record', 'json_to_recordset', 'row_to_json', 'to_json', 'to_jsonb'],
  ...['jsonb_agg', 'jsonb_agg_strict', 'jsonb_build_array', 'jsonb_build_object', 'jsonb_object_agg'],
  ...['jsonb_object_agg_strict', 'jsonb_object_agg_unique', 'jsonb_object_agg_unique_strict'],
  ...['jsonb_path_exists_tz', 'jsonb_path_match_tz', 'jsonb_path_query_array_tz'],
  ...['jsonb_path_query_first_tz', 'jsonb_path_query_tz', 'jsonb_to_record', 'jsonb_to_recordset'],
  ...['json_to_tsvector', 'jsonb_to_tsvector', 'phraseto_tsquery', 'plainto_tsquery', 'to_tsquery'],
  ...['to_tsvector', 'ts_headline', 'websearch_to_tsquery'],
  ...['gen_random_uuid', 'random', 'uuidv4', 'uuidv7'],
]

const SCHEMAS = `('pg_catalog'::regnamespace, current_schema()::regnamespace)`

/** SQL: a view may call row `p` of pg_proc: immutable, in VIEW_FUNCTIONS ($1), or one of ours. */
export const IS_VIEW_FUNCTION = `p.pronamespace in ${SCHEMAS} and (p.provolatile = 'i'
  or p.pronamespace = 'pg_catalog'::regnamespace and p.proname = any($1::text[])
  or p.pronamespace = current_schema()::regnamespace and p.provolatile = 's' and starts_with(p.proname, 'pb_'))`

/** SQL: whether a view may use row `o` of pg_operator, whose function is `p`. */
export const IS_VIEW_OPERATOR = `o.oprnamespace in ${SCHEMAS} and p.provolatile <> 'v'`
