import type { BadRow, Sheet } from '../../data/files/sheet.ts'
import { t } from '../../language/words.ts'
import { BadRows, type LeftOutWords } from '../../parts/bad-rows.tsx'

const VALUES: LeftOutWords = {
  title: t('Values that do not fit their field'),
  summary: (count) => t('Values left out, because they do not fit their field: {count}', { count }),
  fileName: 'values-left-out.csv',
}

/** Rows that an import leaves out, and values of people whom it adds without them. */
export const LeftOut = ({
  sheet,
  bad,
  misfits,
}: {
  sheet: Sheet
  bad: readonly BadRow[]
  misfits: readonly BadRow[]
}) => (
  <>
    <BadRows sheet={sheet} bad={bad} />
    <BadRows sheet={sheet} bad={misfits} words={VALUES} />
  </>
)
