import { sql } from 'kysely'
import { z } from 'zod'
import { notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { dropFormat } from '../../portable/field-formats.ts'
import { foldName } from '../../portable/fold-text.ts'
import { listFieldNames, parseTextTemplate } from '../../portable/text-template.ts'
import { listFieldVariables, loadFieldDefinitions } from '../base/contact-fields.ts'
import { RECORD_TITLES } from '../base/record-titles.ts'

/** The most contacts that are counted: 10,000 means 10,000 or more. */
const MAX_COUNT = 10_000
const MAX_TEXTS = 1_000

const NAMED = z.object({
  id: z.string(),
  name: z.string().describe('Of one without a name: its words, or the beginning of its text.'),
})

export const CONTACT_FIELD_USES = z
  .object({
    contacts: z
      .int()
      .min(0)
      .max(MAX_COUNT)
      .describe('Contacts with a value; 10,000 stands for 10,000 or more.'),
    templates: z.array(NAMED).describe('Templates with the field as a variable.'),
    campaigns: z
      .array(NAMED)
      .describe(
        'Campaigns that wait, repeat or are paused, with the field as a variable, and reminders of it.',
      ),
    answers: z
      .array(NAMED)
      .describe('Automatic answers whose own text has the field as a variable.'),
  })
  .meta({ id: 'ContactFieldUses' })

/** Where an account uses a field of its contacts. Throws 404. */
export async function listFieldUses(
  db: Db,
  user: string,
  id: string,
): Promise<z.output<typeof CONTACT_FIELD_USES>> {
  const field = (await loadFieldDefinitions(db, user)).find((one) => one.id === id)
  if (!field) throw notFound()
  const names = new Set(listFieldVariables(field).map(foldName))
  const isUsed = ({ body }: { readonly body: string }) =>
    listFieldNames(parseTextTemplate(body)).some((name) =>
      [name, dropFormat(name)].some((one) => names.has(foldName(one))),
    )
  const has = sql<boolean>`(case when json_typeof(data) = 'object' then data ->> ${field.key} end) <> ''`
  const { contacts } = await queries(db, 'planned')
    .selectFrom(({ selectFrom }) =>
      selectFrom('contacts')
        .select('id')
        .where('user', '=', user)
        .where(has)
        .limit(sql.lit(MAX_COUNT))
        .as('c'),
    )
    .select(({ fn }) => fn.countAll<number>().as('contacts'))
    .executeTakeFirstOrThrow()
  const templates = await listTexts(db, 'sms_templates', user).execute()
  const campaigns = await listTexts(db, 'campaigns', user)
    .where(sql<boolean>`status in ('scheduled', 'repeating', 'paused')`)
    .execute()
  const reminders = await queries(db)
    .selectFrom('campaigns')
    .select(['id', RECORD_TITLES.campaigns.as('name')])
    .select(sql<string>`reminder ->> 'field'`.as('field'))
    .where('user', '=', user)
    .where(sql<boolean>`status in ('repeating', 'paused')`)
    .where(sql<boolean>`reminder ->> 'collection' = 'contacts'`)
    .execute()
  const isOfField = ({ field }: { readonly field: string }) => names.has(foldName(field))
  const answers = await listTexts(db, 'auto_answers', user).execute()
  const name = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name })
  return {
    contacts,
    templates: templates.filter(isUsed).map(name),
    campaigns: [
      ...new Map(
        [...campaigns.filter(isUsed), ...reminders.filter(isOfField)].map((one) => [one.id, one]),
      ).values(),
    ].map(name),
    answers: answers.filter(isUsed).map(name),
  }
}

/** The newest texts of an account that have variables. */
const listTexts = (db: Db, table: 'sms_templates' | 'campaigns' | 'auto_answers', user: string) =>
  queries(db)
    .selectFrom(table as 'campaigns')
    .select(['id', 'body', RECORD_TITLES[table].as('name')])
    .where('user', '=', user)
    .where('body', 'like', '%{{%')
    .orderBy('_rowid', 'desc')
    .limit(sql.lit(MAX_TEXTS))
