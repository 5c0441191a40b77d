import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeWholeNumber } from '../base/body-schemas.ts'
import { STATUSES } from '../base/message-status.ts'

const MAX_PAGE = 500

/** The parameters of a page of rows. */
export const ROW_PAGE = z.strictObject({
  page: z.coerce.number().pipe(makeWholeNumber(1, 100_000)).optional().describe('From 1.'),
  perPage: z.coerce
    .number()
    .pipe(makeWholeNumber(1, MAX_PAGE))
    .optional()
    .describe(`Rows on a page. Default and maximum: ${MAX_PAGE}.`),
})

export const CAMPAIGN_ROWS = z
  .object({
    items: z.array(
      z.object({
        line: z.int().min(0).describe('Its line in the file.'),
        to: z.string(),
        message: z.string().describe('The id of its text; empty while there is none.'),
        status: z.enum([...STATUSES, '']).describe('The status of its text.'),
        reason: z.string().describe('Why it gets no text, or why the text failed.'),
      }),
    ),
    page: z.int().min(1),
    perPage: z.int().min(1),
    totalItems: z.int().min(0),
  })
  .meta({ id: 'CampaignRows' })

/** A page of the rows of a user's campaign, in the order of its file. */
export async function listCampaignRows(
  db: Db,
  user: string,
  campaign: string,
  { page = 1, perPage = MAX_PAGE }: z.output<typeof ROW_PAGE>,
) {
  const rows = queries(db)
    .selectFrom('campaign_recipients as r')
    .where('r.campaign', '=', campaign)
    .where('r.user', '=', user)
  const items = await rows
    .leftJoin('sms_messages as m', 'm.id', 'r.message')
    .select(['r.line', 'r.to', 'r.message'])
    .select(sql<(typeof STATUSES)[number] | ''>`coalesce(m.status, '')`.as('status'))
    .select(sql<string>`coalesce(nullif(r.reason, ''), m.error_message, '')`.as('reason'))
    .orderBy('r.line')
    .orderBy('r._rowid')
    .limit(perPage)
    .offset(perPage * (page - 1))
    .execute()
  const { total } = await rows
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items, page, perPage, totalItems: Number(total) }
}
