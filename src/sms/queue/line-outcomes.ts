import type { Db } from '../../db/open.ts'

/** What became of a text of a line. */
export interface LineOutcome {
  readonly line: string
  readonly hasSent: boolean
}

/** A line is failing after this many failed texts in a row. */
const MAX_FAILURES = 5

const COUNT = `
insert into line_use as u (line, failures) select l.id, $2::int from lines l where l.id = $1
on conflict (line) do update set failures = u.failures + excluded.failures returning failures`

const change = (set: string, where: string, also = '') => `
with ${also}changed as (
  update lines l set failing_since = ${set}, updated = pb_text(now()) where l.id = $1 and ${where} returning l.id
)
select sms_lines_changed('update', array_agg(id)) from changed having count(*) > 0`

const BEGIN = change('pb_text(now())', 'not sms_is_failing(l.failing_since)')
// writes nothing for a line that works
const END = change(
  `''`,
  `l.failing_since <> ''`,
  'forgotten as (update line_use set failures = 0 where line = $1 and failures > 0), ',
)

/** After five failures in a row other lines are preferred for an hour. Outside the report's transaction. */
export async function noteOutcomes(db: Db, outcomes: readonly LineOutcome[]): Promise<void> {
  for (const [line, all] of Map.groupBy(outcomes, (outcome) => outcome.line)) {
    const failures = all.length - 1 - all.findLastIndex(({ hasSent }) => hasSent)
    if (failures < all.length) await db.query(END, [line], 'sms line recovered')
    if (failures === 0) continue
    const { rows } = await db.query(COUNT, [line, failures], 'sms line count failures')
    if (Number(rows[0]?.[0]) >= MAX_FAILURES) await db.query(BEGIN, [line], 'sms line failing')
  }
}
