import { z } from 'zod'
import { MAX_PER_PAGE } from '../../engine/records/list.ts'

const makeParameter = (id: string, description: string, examples?: string[]) =>
  z
    .string()
    .optional()
    .meta({ description, ...(examples && { examples }), param: { id } })

const EXPAND = makeParameter(
  'expand',
  'Relations whose records to show in `expand`, comma-separated; a path goes further: `message.device`.',
  ['device,user'],
)
const FIELDS = makeParameter(
  'fields',
  'Fields to answer with, comma-separated; all when left out. `*` stands for all of a level, `body:excerpt(50)` shortens.',
)

export const ONE = { query: z.object({ expand: EXPAND, fields: FIELDS }) }
export const FIELDS_ONLY = { query: z.object({ fields: FIELDS }) }

export const BY_ID = {
  path: z.object({
    id: z.string().meta({ description: 'The id of the record.', param: { id: 'id' } }),
  }),
  ...ONE,
}

const FILTER = makeParameter(
  'filter',
  "PocketBase's filter language: `=` `!=` `>` `>=` `<` `<=` `~` (has) `!~`, with `?` before them for any of many; `&&` `||` and parentheses.",
  ['created >= @todayStart'],
)

export const EXPORT = {
  query: z.object({
    filter: FILTER,
    expand: EXPAND,
    fields: z
      .string()
      .optional()
      .describe(
        'Columns, comma-separated: fields, or paths into `expand`. Default: all that are not hidden.',
      ),
    format: z
      .enum(['csv', 'ndjson'])
      .optional()
      .describe('`csv` is the default. `ndjson`: a line of JSON for each record.'),
  }),
}

export const makeListQuery = (maxPerPage = MAX_PER_PAGE) => ({
  query: z.object({
    page: z.int().min(1).optional().describe('From 1.'),
    perPage: z
      .int()
      .min(1)
      .optional()
      .describe(`Records on a page: 30 when left out, at most ${maxPerPage.toLocaleString('en')}.`),
    sort: z
      .string()
      .optional()
      .meta({
        description:
          'Fields to sort by, comma-separated, `-` for descending. `@random` and `@rowid` are known too.',
        examples: ['-created,id'],
      }),
    sortLanguage: z
      .string()
      .optional()
      .describe(
        'A language such as `de`, by whose rules `sort` orders texts: `Ö` beside `O`. Records without a value are then last. Default: by bytes, as in PocketBase, which is quicker.',
      ),
    filter: FILTER,
    expand: EXPAND,
    fields: FIELDS,
    skipTotal: z
      .boolean()
      .optional()
      .describe('Do not count: quicker. `totalItems` and `totalPages` are -1 then.'),
  }),
})
