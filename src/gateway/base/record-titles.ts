import { sql } from 'kysely'

/** Maximum characters of a text that stands for a name. */
const MAX_LENGTH = 60

const FIRST_LINE = sql`left(split_part(btrim(body, E' \\t\\r\\n'), E'\\n', 1), ${sql.lit(MAX_LENGTH)})`

/**
 * SQL: what a record of a table is called in a list for people. Campaigns and automatic answers without a
 * name are called by their words, their text or their template.
 */
export const RECORD_TITLES = {
  api_keys: sql<string>`name`,
  devices: sql<string>`name`,
  webhooks: sql<string>`url`,
  hooks: sql<string>`name`,
  sms_templates: sql<string>`name`,
  campaigns: sql<string>`coalesce(nullif(name, ''), ${FIRST_LINE})`,
  auto_answers: sql<string>`coalesce(nullif(name, ''), nullif(value, ''), nullif(${FIRST_LINE}, ''),
    (select t.name from sms_templates t where t.id = auto_answers.template), '')`,
}
